import { issuerPaths } from '@holdfast/contracts';
import type { Json } from '../docs/json-schema.js';
import {
  example,
  formOf,
  issuerEndpoint,
  noOrganization,
  ofSignIn,
  page,
  queryOf,
  redirect,
  signIn,
  signOut,
  temporarilyUnavailable,
  type Member,
} from './issuer-endpoint.js';

const authorizeMembers: Record<string, Member> = {
  response_type: { description: 'Always `code`', required: true, values: ['code'], example: 'code' },
  client_id: { description: 'The app that asks', required: true, example: example.clientId },
  redirect_uri: {
    description:
      'Where the answer goes: equal to a registered one, letter by letter; of a native app the port of a ' +
      'loopback address may differ',
    required: true,
    example: 'https://shop.example/callback',
  },
  scope: {
    description: '`openid`, and what else a client library adds: there is nothing more to ask for',
    required: true,
    example: 'openid',
  },
  state: {
    description:
      "The app's own value, given back as it came: binds the answer to the browser that began (RFC 6749 §10.12)",
    example: 'af0ifjsldkj',
  },
  nonce: {
    description: 'Given back in the ID token. Required of an app that made PKCE optional',
    example: 'n-0S6_WzA2Mj',
  },
  code_challenge: {
    description: 'PKCE (RFC 7636): SHA-256 of the verifier, base64url. Required, unless the app made PKCE optional',
    example: example.challenge,
  },
  code_challenge_method: { description: 'Always `S256`', values: ['S256'], example: 'S256' },
  response_mode: { description: 'How the answer comes back; `query` when left out', values: ['query', 'form_post'] },
  prompt: {
    description:
      '`none` shows no page and answers `login_required` where one is needed; `login` asks for the passkey ' +
      'again; `consent` and `select_account` are taken and change nothing',
    example: 'login',
  },
  max_age: {
    description: 'Seconds since the last use of the passkey after which it is asked for again',
    example: '3600',
  },
  acr_values: {
    description: '`urn:holdfast:acr:passkey` is what every sign-in satisfies',
    example: 'urn:holdfast:acr:passkey',
  },
  id_token_hint: { description: 'An ID token of this issuer: the customer who is expected' },
};

const endSessionMembers: Record<string, Member> = {
  id_token_hint: { description: 'The ID token of the sign-in: with it nobody is asked whether they want to sign out' },
  client_id: {
    description: 'The app; needed for `post_logout_redirect_uri` without an ID token',
    example: example.clientId,
  },
  post_logout_redirect_uri: {
    description: 'Where to go afterwards: equal to a registered one, letter by letter',
    example: 'https://shop.example/',
  },
  state: { description: 'Given back at `post_logout_redirect_uri`' },
};

const sentBack =
  'With 303 to `redirect_uri`: `code`, `state` and `iss` (RFC 9207), or `error`: `login_required` ' +
  '(`prompt=none`, and nobody is signed in), `access_denied` (the customer left, or has no live credential), ' +
  '`invalid_request`, `invalid_scope`, ' +
  '`unsupported_response_type`, `temporarily_unavailable`. Or to the sign-in page';
const authorizeResponses = {
  200: page('With `response_mode=form_post`: a page that posts the answer to `redirect_uri`'),
  303: redirect(sentBack),
  400: page(
    '`invalid_request`, `invalid_client`, `invalid_redirect_uri`: it cannot be told to the app, which may not be ' +
      'the app at all, so a page tells the person; programs get JSON',
  ),
  404: noOrganization,
  503: temporarilyUnavailable,
};
const authorizeReference: Json = { parametersMore: queryOf(authorizeMembers), responses: authorizeResponses };
const authorizeFormReference: Json = { requestBody: formOf(authorizeMembers), responses: authorizeResponses };

const endSessionResponses = {
  200: page('A page that asks whether to sign out; without `id_token_hint`, or with that of somebody else'),
  303: redirect('Signed out: to `post_logout_redirect_uri`, or to a page that says so'),
  400: page(
    '`invalid_request`, `invalid_client`: the hint is no ID token of this issuer, or the address is not ' +
      'registered. Nobody was signed out; programs get JSON',
  ),
  404: noOrganization,
  503: temporarilyUnavailable,
};
const endSessionReference: Json = { parametersMore: queryOf(endSessionMembers), responses: endSessionResponses };
const endSessionFormReference: Json = { requestBody: formOf(endSessionMembers), responses: endSessionResponses };

const authorize = issuerEndpoint(
  'authorize',
  'GET',
  issuerPaths.authorization,
  'Begin a sign-in (OpenID Connect Core §3.1.2)',
  'A page, or with 303 the way to it',
  {
    ...signIn,
    reference: authorizeReference,
    description:
      'Authorization code flow. PKCE with S256 is required, unless the app made it optional and sends a nonce. ' +
      '`response_mode`: `query` or `form_post`. The answer carries `iss` (RFC 9207).',
  },
);

const authorizePost = issuerEndpoint(
  'authorizeByForm',
  'POST',
  issuerPaths.authorization,
  'Begin a sign-in by a form',
  'With 303 the same by GET',
  { ...signIn, reference: authorizeFormReference },
);

const resume = issuerEndpoint(
  'resumeSignIn',
  'GET',
  issuerPaths.authorizationResume,
  'Go on after the sign-in page',
  'With 303 the way back to the app',
  { ...signIn, params: ofSignIn, internal: 'a step of the sign-in page' },
);

const endSession = issuerEndpoint(
  'endSession',
  'GET',
  issuerPaths.endSession,
  'Sign out (RP-Initiated Logout)',
  'A page that asks, or with 303 the way back',
  {
    ...signOut,
    reference: endSessionReference,
    description:
      'With the ID token as `id_token_hint` the customer is signed out at once; without it they are asked. ' +
      '`post_logout_redirect_uri` must equal a registered one.',
  },
);

const endSessionPost = issuerEndpoint(
  'endSessionByForm',
  'POST',
  issuerPaths.endSession,
  'Sign out by a form',
  'With 303 the same by GET',
  { ...signOut, reference: endSessionFormReference },
);

const endSessionConfirm = issuerEndpoint(
  'confirmEndSession',
  'POST',
  issuerPaths.endSessionConfirm,
  'What the sign-out page sends',
  'With 303 the way back',
  { ...signOut, internal: 'a form of the sign-out page' },
);

const endSessionSuccess = issuerEndpoint(
  'getEndSessionResult',
  'GET',
  issuerPaths.endSessionSuccess,
  'The page after a sign-out that leads nowhere',
  'The page',
  { limit: 'page', unrecorded: 'the page after a sign-out, which has its record', internal: 'a page' },
);

export const authorizationEndpoints = [
  authorize,
  authorizePost,
  resume,
  endSession,
  endSessionPost,
  endSessionConfirm,
  endSessionSuccess,
];

import { issuerPaths } from '@holdfast/contracts';
import type { Json } from '../docs/json-schema.js';
import {
  errorPage,
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
  unsupportedMediaType,
  type Member,
} from './issuer-endpoint.js';

export const authorizeMembers: Record<string, Member> = {
  response_type: { description: 'Always `code`', required: true, values: ['code'], example: 'code' },
  client_id: { description: 'The app that sends the request', required: true, example: example.clientId },
  redirect_uri: {
    description:
      'Where the response goes: must equal a registered one exactly; for a native app the port of a loopback ' +
      'address may differ',
    required: true,
    example: 'https://shop.example/callback',
  },
  scope: {
    description: '`openid`; further scopes that a client library adds have no effect',
    required: true,
    example: 'openid',
  },
  state: {
    description:
      "The app's own value, returned unchanged: binds the response to the browser of the request (RFC 6749 §10.12)",
    example: 'af0ifjsldkj',
  },
  nonce: {
    description: 'Returned in the ID token. Required if the app made PKCE optional',
    example: 'n-0S6_WzA2Mj',
  },
  code_challenge: {
    description: 'PKCE (RFC 7636): SHA-256 of the verifier, base64url. Required, unless the app made PKCE optional',
    example: example.challenge,
  },
  code_challenge_method: { description: 'Always `S256`', values: ['S256'], example: 'S256' },
  response_mode: { description: 'How the response is returned; default `query`', values: ['query', 'form_post'] },
  prompt: {
    description:
      '`none` shows no page and returns `login_required` if one is needed; `login` requires the passkey again; ' +
      '`consent` and `select_account` are accepted and have no effect',
    example: 'login',
  },
  max_age: {
    description: 'Seconds since the last use of the passkey after which it is required again',
    example: '3600',
  },
  acr_values: {
    description: '`urn:holdfast:acr:passkey`, which every sign-in satisfies',
    example: 'urn:holdfast:acr:passkey',
  },
  id_token_hint: { description: 'An ID token of this issuer: names the expected customer' },
};
const requestUri: Member = {
  description: 'The reference of a pushed authorization request (RFC 9126): then only `client_id` is needed beside it',
};

const endSessionMembers: Record<string, Member> = {
  id_token_hint: { description: 'The ID token of the sign-in: with it the customer need not confirm the sign-out' },
  client_id: {
    description: 'The app; needed for `post_logout_redirect_uri` without an ID token',
    example: example.clientId,
  },
  post_logout_redirect_uri: {
    description: 'Where to continue afterwards: must equal a registered one exactly',
    example: 'https://shop.example/',
  },
  state: { description: 'Returned at `post_logout_redirect_uri`' },
};

const authorizationResponse =
  'With 303 to `redirect_uri`: `code`, `state` and `iss` (RFC 9207), or `error`: `login_required` ' +
  '(`prompt=none`, and nobody is signed in), `access_denied` (the customer cancelled, or has no live credential), ' +
  '`invalid_request`, `invalid_scope`, `invalid_target`, `unsupported_response_type`, `temporarily_unavailable`. ' +
  'Or to the sign-in page';
const authorizeResponses = {
  200: page('With `response_mode=form_post`: a page that posts the response to `redirect_uri`'),
  303: redirect(authorizationResponse),
  400: errorPage(
    '`invalid_request`, `invalid_client`, `invalid_redirect_uri`: the redirect URI cannot be trusted, so a page ' +
      'shows the error; programs get JSON',
    'invalid_redirect_uri',
    "redirect_uri did not match any of the client's registered redirect_uris",
  ),
  404: noOrganization,
};
const authorizeReference: Json = {
  parametersMore: queryOf({ ...authorizeMembers, request_uri: requestUri }),
  responses: authorizeResponses,
};
const authorizeFormReference: Json = {
  requestBody: formOf({ ...authorizeMembers, request_uri: requestUri }),
  responses: { ...authorizeResponses, 415: unsupportedMediaType },
};

const endSessionResponses = {
  200: page('A page to confirm the sign-out; without `id_token_hint`, or with that of another customer'),
  303: redirect('Signed out: to `post_logout_redirect_uri`, or to a page that confirms it'),
  400: errorPage(
    '`invalid_request`, `invalid_client`: the hint is no ID token of this issuer, or the address is not ' +
      'registered. Nobody was signed out; programs get JSON',
    'invalid_request',
    'post_logout_redirect_uri not registered',
  ),
  404: noOrganization,
};
const endSessionReference: Json = { parametersMore: queryOf(endSessionMembers), responses: endSessionResponses };
const endSessionFormReference: Json = {
  requestBody: formOf(endSessionMembers),
  responses: { ...endSessionResponses, 415: unsupportedMediaType },
};

const authorize = issuerEndpoint(
  'authorize',
  'GET',
  issuerPaths.authorization,
  'Begin a sign-in (OpenID Connect Core §3.1.2)',
  'A page, or 303 to one',
  {
    ...signIn,
    reference: authorizeReference,
    description:
      'Authorization code flow. PKCE with S256 is required, unless the app made it optional and sends a nonce. ' +
      '`response_mode`: `query` or `form_post`. The response has `iss` (RFC 9207).',
  },
);

const authorizePost = issuerEndpoint(
  'authorizeByForm',
  'POST',
  issuerPaths.authorization,
  'Begin a sign-in by a form',
  '303 to the result of the same request by GET',
  { ...signIn, reference: authorizeFormReference },
);

const resume = issuerEndpoint(
  'resumeSignIn',
  'GET',
  issuerPaths.authorizationResume,
  'Continue after the sign-in page',
  '303 back to the app',
  { ...signIn, params: ofSignIn, internal: 'a step of the sign-in page' },
);

const endSession = issuerEndpoint(
  'endSession',
  'GET',
  issuerPaths.endSession,
  'Sign out (RP-Initiated Logout)',
  'A page to confirm the sign-out, or 303 back to the app',
  {
    ...signOut,
    reference: endSessionReference,
    description:
      'With the ID token as `id_token_hint` the customer is signed out at once; without it they confirm it first. ' +
      '`post_logout_redirect_uri` must equal a registered one.',
  },
);

const endSessionPost = issuerEndpoint(
  'endSessionByForm',
  'POST',
  issuerPaths.endSession,
  'Sign out by a form',
  '303 to the result of the same request by GET',
  { ...signOut, reference: endSessionFormReference },
);

const endSessionConfirm = issuerEndpoint(
  'confirmEndSession',
  'POST',
  issuerPaths.endSessionConfirm,
  'Confirm a sign-out',
  '303 back to the app',
  { ...signOut, internal: 'a form of the sign-out page' },
);

const endSessionSuccess = issuerEndpoint(
  'getEndSessionResult',
  'GET',
  issuerPaths.endSessionSuccess,
  'The page after a sign-out without a redirect URI',
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

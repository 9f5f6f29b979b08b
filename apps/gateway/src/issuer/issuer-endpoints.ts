import { z } from 'zod';
import { shortId, signInOptionsSchema, signInResultSchema, signInSchema, webAuthnJson } from '@holdfast/contracts';
import { endpoint, type Endpoint } from '../endpoints/endpoint.js';
import * as authorizeReferences from './authorize-reference.js';
import { discoveryReference, jwksReference } from './metadata-reference.js';
import * as tokenReferences from './token-reference.js';

const tag = 'OpenID Connect';
const pageTag = 'Sign-in page';
const ofOrganization = z.strictObject({ shortId });
const uid = z
  .string()
  .regex(/^[A-Za-z0-9_-]{16,64}$/)
  .describe('The sign-in, as it stands in the address of its page');
const ofSignIn = z.strictObject({ shortId, uid });
const errors: Endpoint['errors'] = ['unknown_organization'];
const forEverybody = { limit: 'metadata' as const, unrecorded: 'the same for everybody, and names no caller' };
const preflight = { limit: 'token' as const, unrecorded: 'a question of the browser, before any call' };
const signIn = { action: 'customer.sign_in', limit: 'authorize' } as const;
const signOut = { action: 'customer.sign_out', limit: 'authorize' } as const;

const issuer = (
  id: string,
  method: Endpoint['method'],
  path: string,
  summary: string,
  answer: string,
  more: Pick<Endpoint, 'description' | 'params' | 'action' | 'unrecorded' | 'limit' | 'reference' | 'internal'>,
) =>
  endpoint({
    id,
    method,
    path: `/o/{shortId}${path}`,
    tag,
    summary,
    params: ofOrganization,
    answers: { 200: { description: answer } },
    errors,
    errorForm: 'oauth',
    ...(more.action && { recorder: 'auth' as const }),
    ...more,
  });

export const discovery = issuer(
  'getDiscovery',
  'GET',
  '/.well-known/openid-configuration',
  "Metadata of an organization's issuer (OpenID Connect Discovery)",
  'The metadata: a standard client needs nothing else',
  { ...forEverybody, reference: discoveryReference },
);
export const authorizationServer = endpoint({
  id: 'getIssuerMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server/o/{shortId}',
  tag,
  summary: 'The same metadata where RFC 8414 puts it',
  params: ofOrganization,
  errorForm: 'oauth',
  ...forEverybody,
  reference: discoveryReference,
  answers: { 200: { description: 'The metadata' } },
  errors,
});
export const authorize = issuer(
  'authorize',
  'GET',
  '/authorize',
  'Begin a sign-in (OpenID Connect Core §3.1.2)',
  'A page, or with 303 the way to it',
  {
    ...signIn,
    reference: authorizeReferences.authorizeReference,
    description:
      'Authorization code flow. PKCE with S256 is required, unless the app made it optional and sends a nonce. `response_mode`: `query` or `form_post`. The answer carries `iss` (RFC 9207).',
  },
);
export const authorizePost = issuer(
  'authorizeByForm',
  'POST',
  '/authorize',
  'Begin a sign-in by a form',
  'With 303 the same by GET',
  { ...signIn, reference: authorizeReferences.authorizeFormReference },
);
export const resume = issuer(
  'resumeSignIn',
  'GET',
  '/authorize/{uid}',
  'Go on after the sign-in page',
  'With 303 the way back to the app',
  { ...signIn, params: ofSignIn, internal: 'a step of the sign-in page' },
);
export const issuerToken = issuer(
  'exchangeCode',
  'POST',
  '/token',
  'Exchange a code or a refresh token (RFC 6749 §4.1.3, §6)',
  'ID token, access token and, if the app has them, a refresh token',
  {
    action: 'customer.token',
    limit: 'token',
    reference: tokenReferences.issuerTokenReference,
    description:
      'web apps authenticate with their secret (Basic or in the body), spa and native apps by PKCE alone: `client_id` in the body, or Basic with an empty secret. A refresh token is replaced by each use. Used again within seconds, it gives the same successor once more, since two tabs or a lost response look like that; used again later, or after its successor, it ends all that came of its sign-in.',
  },
);
export const userinfo = issuer(
  'getUserinfo',
  'GET',
  '/userinfo',
  'The customer of an access token (OpenID Connect Core §5.3)',
  '`sub`, `credential`, `amr` and `acr`',
  { action: 'customer.userinfo', limit: 'token', reference: tokenReferences.userinfoReference },
);
export const userinfoPost = issuer(
  'postUserinfo',
  'POST',
  '/userinfo',
  'The same by POST',
  '`sub`, `credential`, `amr` and `acr`',
  { action: 'customer.userinfo', limit: 'token', reference: tokenReferences.userinfoReference },
);
export const jwks = issuer('getIssuerKeys', 'GET', '/jwks', 'Public keys of the issuer (RFC 7517)', 'The keys', {
  ...forEverybody,
  reference: jwksReference,
});
export const endSession = issuer(
  'endSession',
  'GET',
  '/session/end',
  'Sign out (RP-Initiated Logout)',
  'A page that asks, or with 303 the way back',
  {
    ...signOut,
    reference: authorizeReferences.endSessionReference,
    description:
      'With the ID token as `id_token_hint` the customer is signed out at once; without it they are asked. `post_logout_redirect_uri` must equal a registered one.',
  },
);
export const endSessionPost = issuer(
  'endSessionByForm',
  'POST',
  '/session/end',
  'Sign out by a form',
  'With 303 the same by GET',
  { ...signOut, reference: authorizeReferences.endSessionFormReference },
);
export const endSessionConfirm = issuer(
  'confirmEndSession',
  'POST',
  '/session/end/confirm',
  'What the sign-out page sends',
  'With 303 the way back',
  { ...signOut, internal: 'a form of the sign-out page' },
);
export const endSessionSuccess = issuer(
  'getEndSessionResult',
  'GET',
  '/session/end/success',
  'The page after a sign-out that leads nowhere',
  'The page',
  { limit: 'page', unrecorded: 'the page after a sign-out, which has its record', internal: 'a page' },
);
export const revocation = issuer(
  'revokeToken',
  'POST',
  '/token/revocation',
  'Revoke a token (RFC 7009)',
  'Done, whether there was such a token or not',
  { action: 'customer.token_revoke', limit: 'token', reference: tokenReferences.revocationReference },
);
export const tokenPreflight = issuer(
  'preflightToken',
  'OPTIONS',
  '/token',
  'CORS',
  'For apps of the kind spa',
  preflight,
);
export const userinfoPreflight = issuer(
  'preflightUserinfo',
  'OPTIONS',
  '/userinfo',
  'CORS',
  'For apps of the kind spa',
  preflight,
);
export const revocationPreflight = issuer(
  'preflightRevocation',
  'OPTIONS',
  '/token/revocation',
  'CORS',
  'For apps of the kind spa',
  preflight,
);

const pageErrors: Endpoint['errors'] = ['unknown_organization', 'unknown_sign_in', 'unavailable'];
const page = {
  tag: pageTag,
  params: ofSignIn,
  errors: pageErrors,
  ...signIn,
  limit: 'sign_in' as const,
  recorder: 'auth' as const,
  internal: 'of the sign-in page',
};

export const showSignIn = endpoint({
  ...page,
  id: 'getSignIn',
  method: 'GET',
  path: '/o/{shortId}/api/sign-in/{uid}',
  summary: 'What the sign-in page shows',
  answers: { 200: { description: 'Who asks', schema: signInSchema } },
});
export const signInOptions = endpoint({
  ...page,
  id: 'getSignInOptions',
  method: 'POST',
  path: '/o/{shortId}/api/sign-in/{uid}/options',
  summary: 'Options of a passkey sign-in',
  errors: [...pageErrors, 'cross_site_request', 'unsupported_media_type'],
  answers: {
    200: { description: 'For `navigator.credentials.get`; they replace those before', schema: signInOptionsSchema },
  },
});
export const completeSignInStep = endpoint({
  ...page,
  id: 'completeSignIn',
  method: 'POST',
  path: '/o/{shortId}/api/sign-in/{uid}/complete',
  summary: 'Sign in with what the authenticator answered',
  body: z.strictObject({ response: webAuthnJson.describe('The PublicKeyCredential, as JSON') }),
  errors: [
    ...pageErrors,
    'invalid_request',
    'ceremony_expired',
    'passkey_invalid',
    'cross_site_request',
    'unsupported_media_type',
  ],
  answers: {
    200: {
      description: '`redirectTo`: the sign-in is over, go there. `refused` alone: another passkey may be tried',
      schema: signInResultSchema,
    },
  },
});
export const cancelSignIn = endpoint({
  ...page,
  id: 'cancelSignIn',
  method: 'POST',
  path: '/o/{shortId}/api/sign-in/{uid}/cancel',
  summary: 'Go back to the app without signing in',
  errors: [...pageErrors, 'cross_site_request', 'unsupported_media_type'],
  answers: {
    200: {
      description:
        '`redirectTo`: the app is told `login_required` there, or `access_denied` after a passkey that was refused',
      schema: signInResultSchema,
    },
  },
});

/** In the order of the reference. */
export const issuerEndpoints: readonly Endpoint[] = [
  discovery,
  authorizationServer,
  authorize,
  authorizePost,
  resume,
  issuerToken,
  userinfo,
  userinfoPost,
  jwks,
  endSession,
  endSessionPost,
  endSessionConfirm,
  endSessionSuccess,
  revocation,
  tokenPreflight,
  userinfoPreflight,
  revocationPreflight,
  showSignIn,
  signInOptions,
  completeSignInStep,
  cancelSignIn,
];

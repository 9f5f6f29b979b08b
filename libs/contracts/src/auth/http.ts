/**
 * The HTTP contract between the gateway, which forwards requests to issuers, and auth, which handles them: the headers
 * that only these two may set, and the routes of the issuers.
 */

/** The gateway removes every header with this prefix from requests of clients. */
export const internalHeaderPrefix = 'x-holdfast-';

export const internalHeaders = {
  /** To auth: the client's address. */
  clientAddress: 'x-holdfast-client-address',
  /** To auth: the client's own X-Request-Id and traceparent, which are stored in the audit record only. */
  callerRequestId: 'x-holdfast-caller-request-id',
  callerTraceparent: 'x-holdfast-caller-traceparent',
  /** From auth: an error code of the catalogue, which the gateway renders. Auth renders errors of OAuth itself. */
  error: 'x-holdfast-error',
  /** From auth: `dependency;cause`, the origin of a 5xx. */
  origin: 'x-holdfast-origin',
  /** From auth: the replica is stopping and has not handled the request, so it may be sent to another one. */
  closing: 'x-holdfast-closing',
} as const;

/** The platform's own authorization server (RFC 6749, RFC 8414). */
export const platformIssuerPaths = {
  token: '/oauth2/token',
  metadata: '/.well-known/oauth-authorization-server',
} as const;

/** Paths of an organization's issuer, below `/o/{shortId}`. */
export const issuerPaths = {
  discovery: '/.well-known/openid-configuration',
  authorization: '/authorize',
  authorizationResume: '/authorize/{uid}',
  pushedAuthorization: '/par',
  deviceAuthorization: '/device_authorization',
  device: '/device',
  deviceResume: '/device/{uid}',
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  endSession: '/session/end',
  endSessionConfirm: '/session/end/confirm',
  endSessionSuccess: '/session/end/success',
  revocation: '/token/revocation',
  introspection: '/token/introspection',
  signIn: '/api/sign-in/{uid}',
  signInOptions: '/api/sign-in/{uid}/options',
  signInComplete: '/api/sign-in/{uid}/complete',
  signInCancel: '/api/sign-in/{uid}/cancel',
} as const;

/** Where RFC 8414 §3.1 puts the metadata of an organization's issuer. */
export const issuerMetadataPath = '/.well-known/oauth-authorization-server/o/{shortId}';

/** Pattern of `{uid}`, the id of a sign-in. */
export const signInUidPattern = /^[A-Za-z0-9_-]{16,64}$/;

/** The route of an organization's issuer. */
export function issuerRoute<Path extends string>(path: Path): `/o/{shortId}${Path}` {
  return `/o/{shortId}${path}`;
}

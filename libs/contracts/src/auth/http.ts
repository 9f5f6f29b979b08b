/**
 * The HTTP contract between the gateway, which forwards requests of issuers, and auth, which answers them: the headers
 * that only these two may set, and the routes of the issuers.
 */

/** The gateway removes every header with this prefix from what clients send. */
export const internalHeaderPrefix = 'x-holdfast-';

export const internalHeaders = {
  /** To auth: the client's address. */
  clientAddress: 'x-holdfast-client-address',
  /** To auth: X-Request-Id and traceparent as the client chose them. Stored in the audit record alone. */
  callerRequestId: 'x-holdfast-caller-request-id',
  callerTraceparent: 'x-holdfast-caller-traceparent',
  /** From auth: code of an error of the catalogue, which the gateway renders. Errors of OAuth auth renders itself. */
  error: 'x-holdfast-error',
  /** From auth: `dependency;cause`, the origin of a 5xx. */
  origin: 'x-holdfast-origin',
  /** From auth: the replica is stopping and did not begin the request, so another one may be sent it. */
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
  token: '/token',
  userinfo: '/userinfo',
  jwks: '/jwks',
  endSession: '/session/end',
  endSessionConfirm: '/session/end/confirm',
  endSessionSuccess: '/session/end/success',
  revocation: '/token/revocation',
  signIn: '/api/sign-in/{uid}',
  signInOptions: '/api/sign-in/{uid}/options',
  signInComplete: '/api/sign-in/{uid}/complete',
  signInCancel: '/api/sign-in/{uid}/cancel',
} as const;

/** Where RFC 8414 §3.1 puts the metadata of an organization's issuer. */
export const issuerMetadataPath = '/.well-known/oauth-authorization-server/o/{shortId}';

/** Form of `{uid}`, the id of one sign-in. */
export const signInUidPattern = /^[A-Za-z0-9_-]{16,64}$/;

/** The route of an organization's issuer. */
export function issuerRoute<Path extends string>(path: Path): `/o/{shortId}${Path}` {
  return `/o/{shortId}${path}`;
}

/**
 * The explicit list of routes that ask for no bearer token (deny by default: everything else does). At start the gateway
 * refuses to run when a route is on neither side, or when this list names one that is not there.
 */
export const publicRoutes = [
  'GET /healthz',
  'GET /readyz',
  'GET /openapi.json',
  'GET /docs',
  'GET /docs/errors',
  'GET /docs/assets/{file}',
  'GET /.well-known/oauth-protected-resource',
  'GET /.well-known/oauth-authorization-server',
  'POST /oauth2/token',
  // The organizations' issuers: OAuth has its own ways of knowing clients and customers.
  'GET /o/{shortId}/.well-known/openid-configuration',
  'GET /.well-known/oauth-authorization-server/o/{shortId}',
  'GET /o/{shortId}/authorize',
  'POST /o/{shortId}/authorize',
  'GET /o/{shortId}/authorize/{uid}',
  'POST /o/{shortId}/token',
  'OPTIONS /o/{shortId}/token',
  'GET /o/{shortId}/userinfo',
  'POST /o/{shortId}/userinfo',
  'OPTIONS /o/{shortId}/userinfo',
  'GET /o/{shortId}/jwks',
  'GET /o/{shortId}/session/end',
  'POST /o/{shortId}/session/end',
  'POST /o/{shortId}/session/end/confirm',
  'GET /o/{shortId}/session/end/success',
  'POST /o/{shortId}/token/revocation',
  'OPTIONS /o/{shortId}/token/revocation',
  'GET /o/{shortId}/api/sign-in/{uid}',
  'POST /o/{shortId}/api/sign-in/{uid}/options',
  'POST /o/{shortId}/api/sign-in/{uid}/complete',
  'POST /o/{shortId}/api/sign-in/{uid}/cancel',
];

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
];

import type { KoaContextWithOIDC } from 'oidc-provider';

/** Endpoints at which clients authenticate. */
const clientRoutes: readonly string[] = [
  'token',
  'revocation',
  'introspection',
  'pushed_authorization_request',
  'device_authorization',
];

export function authenticatesClients({ oidc: { route } }: KoaContextWithOIDC): boolean {
  return clientRoutes.includes(route);
}

/**
 * Whether a request failed because it has no client authentication, or one of another scheme than Basic. RFC 6749 §5.2
 * calls this `invalid_client`; for the library the request is malformed.
 */
export function lacksAuthentication(ctx: KoaContextWithOIDC): boolean {
  const { params, client } = ctx.oidc;
  if (!authenticatesClients(ctx) || ctx.status !== 400 || client || !params) return false;
  const authorization = ctx.get('authorization');
  if (authorization) return !/^basic( |$)/i.test(authorization);
  return params.client_id === undefined && params.client_assertion === undefined;
}

import type { Schemas } from '@holdfast/api-client';
import type { App } from './app-queries.ts';

/** What somebody edits of how an app authenticates. */
export type AuthenticationValues = {
  tokenEndpointAuthMethod: string;
  jwks: string;
  jwksUri: string;
  requireDpop: string;
  accessTokenFormat: string;
};

export function authenticationOf(app: App): AuthenticationValues {
  return {
    tokenEndpointAuthMethod: app.tokenEndpointAuthMethod ?? 'client_secret_basic',
    jwks: app.jwks === undefined ? '' : JSON.stringify(app.jwks, null, 2),
    jwksUri: app.jwksUri ?? '',
    requireDpop: app.requireDpop === true ? 'yes' : '',
    accessTokenFormat: app.accessTokenFormat ?? 'opaque',
  };
}

/** The body of the change: only what differs. @throws SyntaxError when the keys are no JSON */
export function authenticationChanges(app: App, values: AuthenticationValues): Schemas['AppPatch'] {
  const before = authenticationOf(app);
  const isChanged = (member: keyof AuthenticationValues) => values[member].trim() !== before[member];
  const usesKeys = values.tokenEndpointAuthMethod === 'private_key_jwt';
  return {
    ...(isChanged('tokenEndpointAuthMethod') && {
      tokenEndpointAuthMethod: values.tokenEndpointAuthMethod as 'private_key_jwt',
    }),
    ...(usesKeys && isChanged('jwks') && values.jwks.trim() !== '' && { jwks: JSON.parse(values.jwks) as never }),
    ...(usesKeys && isChanged('jwksUri') && values.jwksUri.trim() !== '' && { jwksUri: values.jwksUri.trim() }),
    ...(isChanged('requireDpop') && { requireDpop: values.requireDpop !== '' }),
    ...(isChanged('accessTokenFormat') && { accessTokenFormat: values.accessTokenFormat as 'jwt' }),
  };
}

import { operationNames } from '@holdfast/contracts';

/** RFC 8414. There is no `jwks_uri`: only the API itself reads these tokens. */
export function platformMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth2/token`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: ['client_secret_basic'],
    scopes_supported: operationNames,
  };
}

import { authMethods, operationNames, proofAlgorithms } from '@holdfast/contracts';

/** Metadata of RFC 8414. There is no `jwks_uri`, since only our own gateway verifies these tokens. */
export function platformMetadata(issuer: string): Record<string, unknown> {
  return {
    issuer,
    token_endpoint: `${issuer}/oauth2/token`,
    grant_types_supported: ['client_credentials'],
    response_types_supported: [],
    token_endpoint_auth_methods_supported: authMethods,
    token_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
    dpop_signing_alg_values_supported: proofAlgorithms,
    scopes_supported: operationNames,
  };
}

import { languages, proofAlgorithms } from '@holdfast/contracts';
import { personScopes } from './accounts.js';
import { responseModes } from './response-modes.js';

/** RFC 8628 §3.4. */
export const deviceGrantType = 'urn:ietf:params:oauth:grant-type:device_code';

/** How a confidential app authenticates. */
export const confidentialMethods = ['client_secret_basic', 'client_secret_post', 'private_key_jwt'] as const;

/** Metadata (RFC 8414 §2) that the library leaves out. Only a confidential app may introspect (RFC 7662 §2.1). */
export const metadataOfEndpoints = {
  revocation_endpoint_auth_methods_supported: [...confidentialMethods, 'none'],
  revocation_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
  introspection_endpoint_auth_methods_supported: confidentialMethods,
  introspection_endpoint_auth_signing_alg_values_supported: proofAlgorithms,
  ui_locales_supported: languages,
};

const ofPeople = new Set([...Object.keys(personScopes), ...Object.values(personScopes).flat()]);

/**
 * Corrects metadata of the library. Scopes and claims of people are left out, as RFC 8414 §2 and OpenID Connect
 * Discovery §3 allow: an issuer has one document for its apps of customers and of people, and customers have neither an
 * e-mail address nor a name. Apps of people are configured with their scopes (docs/connect.md).
 */
export function correctMetadata(metadata: Record<string, unknown>): void {
  metadata.response_modes_supported = responseModes;
  for (const list of ['scopes_supported', 'claims_supported'])
    metadata[list] = (metadata[list] as string[]).filter((name) => !ofPeople.has(name));
}

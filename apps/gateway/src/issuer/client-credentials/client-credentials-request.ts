import type { IncomingHttpHeaders } from 'node:http';
import { clientIdPattern, maxRequestedScopeLength, platformIssuerPaths } from '@holdfast/contracts';

/** Client credentials with a secret (RFC 6749 §4.4). */
export interface ClientCredentialsRequest {
  clientId: string;
  secret: string;
  scope?: string;
}

/** As clients write it. Any other charset or parameter is for oidc-provider to judge. */
const formType = /^application\/x-www-form-urlencoded(?:; ?charset=utf-8)?$/i;
/** Headers that the rules of a token request depend on, and that few clients send. */
const furtherHeaders = [
  'content-encoding',
  'dpop',
  'oauth-client-attestation',
  'oauth-client-attestation-pop',
  'origin',
] as const;

const maxBodyBytes = 4096;
/** Printable ASCII, escaped or not: the part of a form that every parser reads alike. */
const plainForm = /^(?:[\w.~*:&=+-]|%[2-7][0-9A-Fa-f])+$/;
/** RFC 6749 §3.3. */
const scopeForm = /^[\x21\x23-\x5b\x5d-\x7e]+(?: [\x21\x23-\x5b\x5d-\x7e]+)*$/;
const basicForm = /^basic ([A-Za-z0-9+/]+={0,2})$/i;
/** The characters of our secrets, which form-encoding (RFC 6749 §2.3.1) leaves as they are. */
const secretForm = /^[A-Za-z0-9_-]{1,512}$/;

/**
 * Recognizes client credentials with a secret in HTTP Basic, in the form that client libraries send: `grant_type` and
 * `scope`, once each and nothing else. @returns undefined for every other request, valid or not, which oidc-provider
 * answers. So the rules for unusual and malformed requests exist once, there.
 */
export function clientCredentialsRequestOf(
  { url, headers }: { url: string; headers: IncomingHttpHeaders },
  body: Buffer | undefined,
): ClientCredentialsRequest | undefined {
  if (url !== platformIssuerPaths.token || !formType.test(headers['content-type'] ?? '')) return undefined;
  if (furtherHeaders.some((name) => headers[name] !== undefined)) return undefined;
  const client = basicCredentials(headers.authorization);
  const form = client && plainParameters(body);
  if (form?.get('grant_type') !== 'client_credentials') return undefined;
  // An empty parameter counts as absent (RFC 6749 §3.2).
  const scope = form.get('scope') || undefined;
  if (scope === undefined) return client;
  return scope.length <= maxRequestedScopeLength && scopeForm.test(scope) ? { ...client!, scope } : undefined;
}

function basicCredentials(authorization = ''): { clientId: string; secret: string } | undefined {
  const encoded = basicForm.exec(authorization)?.[1];
  if (encoded === undefined) return undefined;
  const decoded = Buffer.from(encoded, 'base64');
  if (decoded.toString('base64') !== encoded) return undefined;
  const [clientId = '', secret = '', ...more] = decoded.toString('latin1').split(':');
  return more.length === 0 && clientIdPattern.test(clientId) && secretForm.test(secret)
    ? { clientId, secret }
    : undefined;
}

/** `grant_type` and `scope`, when the form has no other parameter and none twice. */
function plainParameters(body: Buffer | undefined): Map<string, string> | undefined {
  if (!body || body.length > maxBodyBytes) return undefined;
  const text = body.toString('latin1');
  if (!plainForm.test(text)) return undefined;
  const parameters = [...new URLSearchParams(text)];
  const found = new Map(parameters);
  return found.size === parameters.length && parameters.every(([name]) => name === 'grant_type' || name === 'scope')
    ? found
    : undefined;
}

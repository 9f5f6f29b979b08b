import type { Json } from '../docs/json-schema.js';
import { describedJson as json, describedText as text } from './oauth-reference.js';
import { noOrganization, temporarilyUnavailable } from './reference-parts.js';

const metadata = {
  type: 'object',
  description: 'Further members as OpenID Connect Discovery and RFC 8414 name them',
  properties: {
    issuer: text("The organization's issuer", { format: 'uri' }),
    authorization_endpoint: text('Where a sign-in begins', { format: 'uri' }),
    token_endpoint: text('Where codes and refresh tokens are exchanged', { format: 'uri' }),
    userinfo_endpoint: text('Where an access token leads to its customer', { format: 'uri' }),
    jwks_uri: text('Public keys of ID tokens', { format: 'uri' }),
    revocation_endpoint: text('Where tokens are revoked', { format: 'uri' }),
    end_session_endpoint: text('Where a sign-out begins', { format: 'uri' }),
  },
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
};
const issuer = 'https://id.example/o/acme';
export const discoveryReference: Json = {
  responses: {
    200: {
      description: 'The metadata: a standard client needs nothing else',
      content: json(metadata, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      }),
    },
    404: noOrganization,
    503: temporarilyUnavailable,
  },
};

const keys = {
  type: 'object',
  properties: {
    keys: {
      type: 'array',
      description: 'JSON Web Keys, those of tokens that are still good among them',
      items: { type: 'object' },
    },
  },
  required: ['keys'],
};
export const jwksReference: Json = {
  responses: {
    200: {
      description: 'The keys',
      content: json(keys, { keys: [{ kty: 'RSA', kid: 'k1', use: 'sig', alg: 'RS256', n: '0vx7…', e: 'AQAB' }] }),
    },
    404: noOrganization,
    503: temporarilyUnavailable,
  },
};

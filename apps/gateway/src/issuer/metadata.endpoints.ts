import { issuerMetadataPath, issuerPaths } from '@holdfast/contracts';
import { endpoint } from '@holdfast/contracts/http';
import { describedJson, describedText } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { forEverybody, issuerEndpoint, noOrganization } from './issuer-endpoint.js';

const metadata = {
  type: 'object',
  description: 'Further members are those of OpenID Connect Discovery and RFC 8414',
  properties: {
    issuer: describedText("The organization's issuer", { format: 'uri' }),
    authorization_endpoint: describedText('Where a sign-in begins', { format: 'uri' }),
    token_endpoint: describedText('Where codes and refresh tokens are exchanged', { format: 'uri' }),
    userinfo_endpoint: describedText('Where the customer of an access token is read', { format: 'uri' }),
    jwks_uri: describedText('Public keys of ID tokens', { format: 'uri' }),
    pushed_authorization_request_endpoint: describedText('Where an app pushes authorization requests', {
      format: 'uri',
    }),
    revocation_endpoint: describedText('Where tokens are revoked', { format: 'uri' }),
    introspection_endpoint: describedText('Where apps ask whether a token is active', { format: 'uri' }),
    end_session_endpoint: describedText('Where a sign-out begins', { format: 'uri' }),
  },
  required: ['issuer', 'authorization_endpoint', 'token_endpoint', 'jwks_uri'],
  additionalProperties: true,
};
const issuer = 'https://id.example/o/acme';
const discoveryReference: Json = {
  responses: {
    200: {
      description: 'The metadata, which is all that a standard client needs',
      content: describedJson(metadata, {
        issuer,
        authorization_endpoint: `${issuer}/authorize`,
        token_endpoint: `${issuer}/token`,
        jwks_uri: `${issuer}/jwks`,
      }),
    },
    404: noOrganization,
  },
};

const keys = {
  type: 'object',
  properties: {
    keys: {
      type: 'array',
      description: 'JSON Web Keys, including those of older tokens that are still valid',
      items: { type: 'object' },
    },
  },
  required: ['keys'],
};
const jwksReference: Json = {
  responses: {
    200: {
      description: 'The keys',
      // RFC 7517 §8.5.2.
      content: {
        'application/jwk-set+json': {
          schema: keys,
          example: { keys: [{ kty: 'RSA', kid: 'k1', use: 'sig', alg: 'RS256', n: '0vx7…', e: 'AQAB' }] },
        },
      },
    },
    404: noOrganization,
  },
};

const discovery = issuerEndpoint(
  'getDiscovery',
  'GET',
  issuerPaths.discovery,
  "Metadata of an organization's issuer (OpenID Connect Discovery)",
  'The metadata, which is all that a standard client needs',
  { ...forEverybody, reference: discoveryReference },
);

const authorizationServer = endpoint({
  ...discovery,
  id: 'getIssuerMetadata',
  path: issuerMetadataPath,
  summary: 'The same metadata where RFC 8414 puts it',
});

const jwks = issuerEndpoint(
  'getIssuerKeys',
  'GET',
  issuerPaths.jwks,
  'Public keys of the issuer (RFC 7517)',
  'The keys',
  {
    ...forEverybody,
    reference: jwksReference,
  },
);

export const metadataEndpoints = [discovery, authorizationServer, jwks];

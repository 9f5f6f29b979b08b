import { operationNames } from '@holdfast/contracts';
import type { Json } from '../docs/json-schema.js';

export const describedText = (description: string, more: Json = {}) => ({ type: 'string', description, ...more });
const texts = (description: string) => ({ type: 'array', items: { type: 'string' }, description });
export const describedJson = (schema: Json, example: Json) => ({ 'application/json': { schema, example } });

const oauthError = {
  type: 'object',
  description: 'An error of OAuth 2.0 (RFC 6749 §5.2)',
  properties: {
    error: describedText('What to branch on'),
    error_description: describedText('What is wrong, for people'),
  },
  required: ['error'],
};
export const oauthErrorAnswer = (description: string, error: string, error_description: string, headers?: Json) => ({
  description,
  ...(headers && { headers }),
  content: describedJson(oauthError, { error, error_description }),
});

/**
 * What OAuth's own standards say of the token endpoint; auth validates there, so nothing here is derived from a schema.
 */
export const tokenReference: Json = {
  security: [{ clientBasic: [] }],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: {
            grant_type: describedText('Always `client_credentials`', { const: 'client_credentials' }),
            scope: describedText(
              `Operations wanted, separated by single spaces; all or nothing. One of: ${operationNames.join(' ')}`,
            ),
          },
          required: ['grant_type', 'scope'],
        },
        example: { grant_type: 'client_credentials', scope: 'offers:write issued:read' },
      },
    },
  },
  responses: {
    200: {
      description: 'An access token',
      content: describedJson(
        {
          type: 'object',
          properties: {
            access_token: describedText('Send it as `Authorization: Bearer …`; do not look into it'),
            token_type: describedText('Always `Bearer`', { const: 'Bearer' }),
            expires_in: { type: 'integer', description: 'Seconds that it is good for: 600' },
            scope: describedText('The operations that it holds: those asked for'),
          },
          required: ['access_token', 'token_type', 'expires_in', 'scope'],
        },
        {
          access_token: 'eyJhbGciOiJFZERTQSIsInR5cCI6ImF0K2p3dCJ9…',
          expires_in: 600,
          token_type: 'Bearer',
          scope: 'offers:write issued:read',
        },
      ),
    },
    400: oauthErrorAnswer(
      '`invalid_scope`: an operation that is unknown, not granted or for people only, or no scope at all. `unsupported_grant_type`, `invalid_request`.',
      'invalid_scope',
      'the app was not granted issued:manage',
    ),
    401: oauthErrorAnswer(
      '`invalid_client`: no such client, a wrong secret, a disabled app or a suspended organization; the answer is the same',
      'invalid_client',
      'client authentication failed',
      {
        'WWW-Authenticate': { description: 'HTTP Basic is wanted', schema: { type: 'string' } },
      },
    ),
    413: oauthErrorAnswer(
      '`invalid_request`: the body is too large',
      'invalid_request',
      'the body is larger than 16384 bytes',
    ),
    503: oauthErrorAnswer(
      '`temporarily_unavailable`: it cannot be known whether the app is still good, or the token cannot be recorded',
      'temporarily_unavailable',
      'try again in a moment',
      {
        'Retry-After': { $ref: '#/components/headers/Retry-After' },
      },
    ),
  },
};

export const serverMetadataReference: Json = {
  responses: {
    200: {
      description: 'The metadata',
      content: describedJson(
        {
          type: 'object',
          properties: {
            issuer: describedText('The authorization server'),
            token_endpoint: describedText('Where tokens are given out'),
            grant_types_supported: texts('`client_credentials` alone'),
            token_endpoint_auth_methods_supported: texts('`client_secret_basic` alone'),
            scopes_supported: texts('Every operation that a program can be granted'),
          },
        },
        {
          issuer: 'https://id.example',
          token_endpoint: 'https://id.example/oauth2/token',
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic'],
        },
      ),
    },
  },
};

export const resourceMetadataReference: Json = {
  responses: {
    200: {
      description: 'The metadata',
      content: describedJson(
        {
          type: 'object',
          properties: {
            resource: describedText(
              'The identifier that this address belongs to: the base address, or the API as the `aud` of its tokens names it',
            ),
            authorization_servers: texts('Who gives tokens for it'),
            scopes_supported: texts('Every operation that a token can hold'),
            bearer_methods_supported: texts('`header` alone'),
            resource_documentation: describedText('Where this reference is'),
          },
        },
        {
          resource: 'https://id.example/api',
          authorization_servers: ['https://id.example'],
          bearer_methods_supported: ['header'],
          resource_documentation: 'https://id.example/docs',
        },
      ),
    },
  },
};

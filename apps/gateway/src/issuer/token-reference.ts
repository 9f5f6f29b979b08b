import type { Json } from '../docs/json-schema.js';
import { describedJson as json, oauthErrorAnswer, describedText as text } from './oauth-reference.js';
import {
  byClient,
  clientId,
  example,
  formOf,
  invalidClient,
  noOrganization,
  temporarilyUnavailable,
} from './reference-parts.js';

const code = 'Kj3xQ0vB8mYh2NfT6rWcZs1LpDgEaUoi';
const tokens = {
  type: 'object',
  properties: {
    access_token: text('For userinfo, for ten minutes; do not look into it'),
    token_type: text('Always `Bearer`', { const: 'Bearer' }),
    expires_in: { type: 'integer', description: 'Seconds that it is good for: 600' },
    id_token: text('Who signed in, signed by a key of `jwks`: `sub`, `credential`, `amr`, `acr`, `auth_time`, `nonce`'),
    refresh_token: text('Where the app has refresh tokens: good once, and for thirty days after the sign-in'),
    scope: text('`openid`'),
  },
  required: ['access_token', 'token_type', 'expires_in', 'id_token', 'scope'],
};
export const issuerTokenReference: Json = {
  security: byClient,
  requestBody: formOf({
    grant_type: {
      description: 'What is exchanged',
      required: true,
      values: ['authorization_code', 'refresh_token'],
      example: 'authorization_code',
    },
    code: {
      description: 'With `authorization_code`: what came to the redirect URI, good once and for a minute',
      example: code,
    },
    redirect_uri: {
      description: 'With `authorization_code`: the one of the authorization request',
      example: 'https://shop.example/callback',
    },
    code_verifier: {
      description: 'With `authorization_code`: of the `code_challenge` (RFC 7636)',
      example: example.verifier,
    },
    refresh_token: { description: 'With `refresh_token`: the newest one of the sign-in' },
    client_id: clientId,
  }),
  responses: {
    200: {
      description: 'Tokens',
      content: json(tokens, {
        access_token: 'r5Jv…',
        token_type: 'Bearer',
        expires_in: 600,
        id_token: 'eyJhbGciOiJSUzI1NiJ9…',
        scope: 'openid',
      }),
    },
    400: oauthErrorAnswer(
      '`invalid_grant`: the code or refresh token is unknown, used, expired, of another app, or its customer can no longer sign in. `invalid_request`, `unsupported_grant_type`, `unauthorized_client`.',
      'invalid_grant',
      'grant request is invalid',
    ),
    401: invalidClient,
    404: noOrganization,
    503: temporarilyUnavailable,
  },
};

const bearerErrors = {
  400: oauthErrorAnswer(
    '`invalid_request`: two tokens, or one in the query',
    'invalid_request',
    'access tokens belong in the Authorization header',
  ),
  401: oauthErrorAnswer(
    '`invalid_token`: no token, one that is unknown or expired, or whose customer can no longer sign in',
    'invalid_token',
    'invalid token provided',
    {
      'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' },
    },
  ),
  404: noOrganization,
  503: temporarilyUnavailable,
};
const claims = {
  type: 'object',
  properties: {
    sub: text('The customer: with `iss` the key of an account', { format: 'uuid' }),
    credential: {
      type: 'object',
      description: 'The credential of the customer that this app signs in with',
      properties: {
        id: text('The credential'),
        type: text('Name of its type'),
        document_number: text('Changes on every renewal: never a key'),
        issued_at: text('When the customer first held it', { format: 'date-time' }),
        expires_at: text('When it ends, if it has an end', { format: 'date-time' }),
      },
      required: ['id', 'type', 'document_number', 'issued_at'],
    },
  },
  required: ['sub', 'credential'],
};
export const userinfoReference: Json = {
  security: [{ customerToken: [] }],
  responses: {
    200: {
      description: 'The customer; no e-mail and no name',
      content: json(claims, {
        sub: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
        credential: {
          id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
          type: 'customer',
          document_number: 'J7QF-3K2M-9TXW-5HRD',
          issued_at: '2026-11-21T10:02:11.480Z',
        },
      }),
    },
    ...bearerErrors,
  },
};

export const revocationReference: Json = {
  security: byClient,
  requestBody: formOf({
    token: { description: 'A refresh or access token of this app', required: true, example: 'r5Jv…' },
    token_type_hint: { description: 'Which of the two it is', values: ['access_token', 'refresh_token'] },
    client_id: clientId,
  }),
  responses: {
    200: { description: 'It is good for nothing any more, or never was' },
    400: oauthErrorAnswer(
      '`invalid_request`: no token, or one of another app. `unsupported_token_type`.',
      'invalid_request',
      "missing required parameter 'token'",
    ),
    401: invalidClient,
    404: noOrganization,
    503: temporarilyUnavailable,
  },
};

import { issuerPaths } from '@holdfast/contracts';
import { describedJson, describedText, describedTexts, oauthErrorResponse } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { dpopHeader } from './client-proofs.js';
import {
  byClient,
  clientAssertion,
  clientId,
  example,
  formOf,
  invalidClient,
  issuerEndpoint,
  noOrganization,
  preflight,
} from './issuer-endpoint.js';

const code = 'Kj3xQ0vB8mYh2NfT6rWcZs1LpDgEaUoi';
const tokens = {
  type: 'object',
  properties: {
    access_token: describedText('For userinfo, valid for ten minutes; its content is opaque to apps'),
    token_type: describedText('`DPoP` if the request had a DPoP proof: the token is bound to its key', {
      enum: ['Bearer', 'DPoP'],
    }),
    expires_in: { type: 'integer', description: 'Lifetime in seconds: 600' },
    id_token: describedText(
      'The customer, signed by a key of `jwks`: `sub`, `credential`, `amr`, `acr`, `auth_time`, `nonce`',
    ),
    refresh_token: describedText('If the app has refresh tokens: valid once, for thirty days after the sign-in'),
    scope: describedText('`openid`'),
  },
  required: ['access_token', 'token_type', 'expires_in', 'id_token', 'scope'],
};
const issuerTokenReference: Json = {
  security: byClient,
  parametersMore: [dpopHeader],
  requestBody: formOf({
    grant_type: {
      description: 'What is exchanged',
      required: true,
      values: ['authorization_code', 'refresh_token', 'urn:ietf:params:oauth:grant-type:device_code'],
      example: 'authorization_code',
    },
    code: {
      description: 'With `authorization_code`: the code from the redirect URI, valid once and for one minute',
      example: code,
    },
    redirect_uri: {
      description: 'With `authorization_code`: that of the authorization request',
      example: 'https://shop.example/callback',
    },
    code_verifier: {
      description: 'With `authorization_code`: the verifier of the `code_challenge` (RFC 7636)',
      example: example.verifier,
    },
    refresh_token: { description: 'With `refresh_token`: the newest refresh token of the sign-in' },
    device_code: { description: 'With `urn:ietf:params:oauth:grant-type:device_code`: the code of the device' },
    client_id: clientId,
    ...clientAssertion,
  }),
  responses: {
    200: {
      description: 'Tokens',
      content: describedJson(tokens, {
        access_token: 'r5Jv…',
        token_type: 'Bearer',
        expires_in: 600,
        id_token: 'eyJhbGciOiJSUzI1NiJ9…',
        scope: 'openid',
      }),
    },
    400: oauthErrorResponse(
      '`invalid_grant`: the code or refresh token is unknown, used, expired, of another app, or its customer can ' +
        'no longer sign in. `invalid_request`, `unsupported_grant_type`, `unauthorized_client`. ' +
        '`authorization_pending`, `slow_down`, `access_denied`, `expired_token`: of a device (RFC 8628 §3.5). ' +
        '`invalid_dpop_proof`: a proof that is wrong, or missing although the app requires DPoP; `use_dpop_nonce`: ' +
        'make a new proof with the nonce of the header `DPoP-Nonce`.',
      'invalid_grant',
      'grant request is invalid',
    ),
    401: invalidClient,
    404: noOrganization,
  },
};

const bearerErrors = {
  400: oauthErrorResponse(
    '`invalid_request`: two tokens, one in the query, or another scheme than `Bearer` and `DPoP`',
    'invalid_request',
    'access tokens belong in the Authorization header',
    { 'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' } },
  ),
  401: oauthErrorResponse(
    '`invalid_token`: no token, one that is unknown or expired, or whose customer can no longer sign in',
    'invalid_token',
    'invalid token provided',
    {
      'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' },
    },
  ),
  404: noOrganization,
};
const claims = {
  type: 'object',
  properties: {
    sub: describedText('The customer or person: identifies an account together with `iss`', { format: 'uuid' }),
    email: describedText('Of a person, with the scope `email`'),
    name: describedText('Of a person, with the scope `profile`'),
    groups: describedTexts('Of a person, with the scope `groups`: the names of their groups'),
    amr: describedTexts('How they proved who they are (RFC 8176)'),
    acr: describedText('`urn:holdfast:acr:passkey`'),
    credential: {
      type: 'object',
      description: 'Of a customer: the credential that this app signs in with',
      properties: {
        id: describedText('The credential'),
        type: describedText('Name of its type'),
        document_number: describedText('Changes with every renewal; do not use it as a key', {
          pattern: '^[0-9A-HJKMNP-TV-Z]{16}$',
        }),
        issued_at: describedText('When the customer first claimed it', { format: 'date-time' }),
        expires_at: describedText('When it expires, if it does', { format: 'date-time' }),
      },
      required: ['id', 'type', 'document_number', 'issued_at'],
    },
  },
  required: ['sub'],
};
const userinfoReference: Json = {
  security: [{ customerToken: [] }, { dpop: [] }],
  responses: {
    200: {
      description:
        'A customer, with their credential, without e-mail and name; or, of an app of the audience `people`, a ' +
        'person, without credential',
      content: describedJson(claims, {
        sub: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10',
        credential: {
          id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01',
          type: 'customer',
          document_number: 'J7QF3K2M9TXW5HRD',
          issued_at: '2026-11-21T10:02:11.480Z',
        },
      }),
    },
    ...bearerErrors,
  },
};

const revocationReference: Json = {
  security: byClient,
  requestBody: formOf({
    token: { description: 'A refresh or access token of this app', required: true, example: 'r5Jv…' },
    token_type_hint: { description: 'Which of the two it is', values: ['access_token', 'refresh_token'] },
    client_id: clientId,
    ...clientAssertion,
  }),
  responses: {
    200: { description: 'The token is no longer valid, or never was' },
    400: oauthErrorResponse(
      '`invalid_request`: no token, or one of another app. `unsupported_token_type`.',
      'invalid_request',
      "missing required parameter 'token'",
    ),
    401: invalidClient,
    404: noOrganization,
  },
};

const issuerToken = issuerEndpoint(
  'exchangeCode',
  'POST',
  issuerPaths.token,
  'Exchange a code or a refresh token (RFC 6749 §4.1.3, §6)',
  'ID token, access token and, if the app has them, a refresh token',
  {
    action: 'customer.token',
    limit: 'token',
    reference: issuerTokenReference,
    description:
      'web apps authenticate with their secret (Basic or in the body) or a client assertion (RFC 7523), spa ' +
      'and native apps only by PKCE: ' +
      '`client_id` in the body, or Basic with an empty secret. Each use replaces the refresh token. If it is used ' +
      'again within seconds, by a second tab or after a lost response, it returns the same successor again. If it ' +
      'is used later, or after its successor, everything issued from its sign-in is revoked.',
  },
);

export const userinfo = issuerEndpoint(
  'getUserinfo',
  'GET',
  issuerPaths.userinfo,
  'The customer or person of an access token (OpenID Connect Core §5.3)',
  '`sub`, `credential`, `amr` and `acr`',
  { action: 'customer.userinfo', limit: 'token', reference: userinfoReference },
);

const userinfoPost = issuerEndpoint(
  'postUserinfo',
  'POST',
  issuerPaths.userinfo,
  'The same by POST',
  '`sub`, `credential`, `amr` and `acr`',
  { action: 'customer.userinfo', limit: 'token', reference: userinfoReference },
);

const revocation = issuerEndpoint(
  'revokeToken',
  'POST',
  issuerPaths.revocation,
  'Revoke a token (RFC 7009)',
  'Done, whether there was such a token or not',
  {
    action: 'customer.token_revoke',
    limit: 'token',
    reference: revocationReference,
    description:
      'Ends the other tokens of the same sign-in at the app too. An API that only verifies the signature of a JWT ' +
      'accepts it until it expires.',
  },
);

const introspectionReference: Json = {
  security: byClient,
  requestBody: formOf({
    token: { description: 'An access or refresh token of this app', required: true, example: 'r5Jv…' },
    token_type_hint: { description: 'Which of the two it is', values: ['access_token', 'refresh_token'] },
    ...clientAssertion,
  }),
  responses: {
    200: {
      description: 'The token, or only `active: false`',
      content: describedJson(
        {
          type: 'object',
          properties: {
            active: {
              type: 'boolean',
              description:
                'False for a token that is unknown, expired, revoked or of another app, or whose customer has no ' +
                'live credential',
            },
            sub: describedText('The customer', { format: 'uuid' }),
            client_id: describedText('This app'),
            scope: describedText('`openid`'),
            iss: describedText('The issuer', { format: 'uri' }),
            iat: { type: 'integer', description: 'When it was issued, in seconds since 1970' },
            exp: { type: 'integer', description: 'When it expires, in seconds since 1970' },
            token_type: describedText('Of an access token', { enum: ['Bearer', 'DPoP'] }),
            cnf: { type: 'object', description: 'Of a token that is bound to a key: `jkt`, its thumbprint (RFC 9449)' },
          },
          required: ['active'],
        },
        { active: false },
      ),
    },
    400: oauthErrorResponse('`invalid_request`: no token', 'invalid_request', "missing required parameter 'token'"),
    401: invalidClient,
    404: noOrganization,
  },
};
const introspection = issuerEndpoint(
  'introspectToken',
  'POST',
  issuerPaths.introspection,
  'Whether a token is active (RFC 7662)',
  'The token, or only `active: false`',
  {
    action: 'customer.token_introspect',
    limit: 'token',
    reference: introspectionReference,
    description:
      'For confidential apps, about their own tokens only. The response is about this moment: the customer’s ' +
      'credential may be revoked in the next one.',
  },
);

const tokenPreflight = issuerEndpoint(
  'preflightToken',
  'OPTIONS',
  issuerPaths.token,
  'CORS',
  'For apps of the kind spa',
  preflight,
);

const userinfoPreflight = issuerEndpoint(
  'preflightUserinfo',
  'OPTIONS',
  issuerPaths.userinfo,
  'CORS',
  'For apps of the kind spa',
  preflight,
);

const revocationPreflight = issuerEndpoint(
  'preflightRevocation',
  'OPTIONS',
  issuerPaths.revocation,
  'CORS',
  'For apps of the kind spa',
  preflight,
);

export const tokenEndpoints = [
  issuerToken,
  userinfo,
  userinfoPost,
  revocation,
  introspection,
  tokenPreflight,
  userinfoPreflight,
  revocationPreflight,
];

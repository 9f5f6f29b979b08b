import type { Json } from './json-schema.js';
import { describedJson as json, oauthErrorAnswer as refused, describedText as text } from './oauth.js';

/**
 * What OpenID Connect and OAuth say of the issuers' endpoints: auth validates there, so nothing here is derived from a
 * schema.
 */

const code = 'Kj3xQ0vB8mYh2NfT6rWcZs1LpDgEaUoi';
const example = {
  clientId: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
  challenge: 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',
  verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk',
};

interface Member {
  description: string;
  required?: boolean;
  example?: string;
  values?: readonly string[];
}

const authorizeMembers: Record<string, Member> = {
  response_type: { description: 'Always `code`', required: true, values: ['code'], example: 'code' },
  client_id: { description: 'The app that asks', required: true, example: example.clientId },
  redirect_uri: {
    description:
      'Where the answer goes: equal to a registered one, letter by letter; of a native app the port of a loopback address may differ',
    required: true,
    example: 'https://shop.example/callback',
  },
  scope: {
    description: '`openid`, and what else a client library adds: there is nothing more to ask for',
    required: true,
    example: 'openid',
  },
  state: {
    description:
      "The app's own value, given back as it came: binds the answer to the browser that began (RFC 6749 §10.12)",
    example: 'af0ifjsldkj',
  },
  nonce: {
    description: 'Given back in the ID token. Required of an app that made PKCE optional',
    example: 'n-0S6_WzA2Mj',
  },
  code_challenge: {
    description: 'PKCE (RFC 7636): SHA-256 of the verifier, base64url. Required, unless the app made PKCE optional',
    example: example.challenge,
  },
  code_challenge_method: { description: 'Always `S256`', values: ['S256'], example: 'S256' },
  response_mode: { description: 'How the answer comes back; `query` when left out', values: ['query', 'form_post'] },
  prompt: {
    description:
      '`none` shows no page and answers `login_required` where one is needed; `login` asks for the passkey again; `consent` and `select_account` are taken and change nothing',
    example: 'login',
  },
  max_age: {
    description: 'Seconds since the last use of the passkey after which it is asked for again',
    example: '3600',
  },
  acr_values: {
    description: '`urn:holdfast:acr:passkey` is what every sign-in satisfies',
    example: 'urn:holdfast:acr:passkey',
  },
  id_token_hint: { description: 'An ID token of this issuer: the customer who is expected' },
};

const endSessionMembers: Record<string, Member> = {
  id_token_hint: { description: 'The ID token of the sign-in: with it nobody is asked whether they want to sign out' },
  client_id: {
    description: 'The app; needed for `post_logout_redirect_uri` without an ID token',
    example: example.clientId,
  },
  post_logout_redirect_uri: {
    description: 'Where to go afterwards: equal to a registered one, letter by letter',
    example: 'https://shop.example/',
  },
  state: { description: 'Given back at `post_logout_redirect_uri`' },
};

const schemaOf = ({ values }: Member) => ({ type: 'string', ...(values && { enum: values }) });

const queryOf = (members: Record<string, Member>) =>
  Object.entries(members).map(([name, member]) => ({
    name,
    in: 'query',
    required: member.required ?? false,
    description: member.description,
    schema: schemaOf(member),
    ...(member.example && { example: member.example }),
  }));

function formOf(members: Record<string, Member>): Json {
  const required = Object.keys(members).filter((name) => members[name]!.required);
  const properties = Object.fromEntries(
    Object.entries(members).map(([name, member]) => [name, { ...schemaOf(member), description: member.description }]),
  );
  const shown = Object.fromEntries(
    Object.entries(members).flatMap(([name, member]) => (member.example ? [[name, member.example]] : [])),
  );
  return {
    required: required.length > 0,
    content: {
      'application/x-www-form-urlencoded': {
        schema: { type: 'object', properties, ...(required.length > 0 && { required }) },
        example: shown,
      },
    },
  };
}

const page = (description: string) => ({ description, content: { 'text/html': { schema: { type: 'string' } } } });
const redirect = (description: string) => ({
  description,
  headers: { Location: { description: 'Where to go on', schema: { type: 'string', format: 'uri' } } },
});
const away = refused(
  '`temporarily_unavailable`: something that is needed does not answer, or the request cannot be recorded',
  'temporarily_unavailable',
  'try again in a moment',
  { 'Retry-After': { $ref: '#/components/headers/Retry-After' } },
);
const noOrganization = { $ref: '#/components/responses/UnknownOrganization' };

const sentBack =
  'With 303 to `redirect_uri`: `code`, `state` and `iss` (RFC 9207), or `error`: `login_required` (`prompt=none`, and nobody is signed in), `access_denied` (the customer left, or has no live credential), `invalid_request`, `invalid_scope`, ' +
  '`unsupported_response_type`, `temporarily_unavailable`. Or to the sign-in page';
const authorizeAnswers = {
  200: page('With `response_mode=form_post`: a page that posts the answer to `redirect_uri`'),
  303: redirect(sentBack),
  400: page(
    '`invalid_request`, `invalid_client`, `invalid_redirect_uri`: it cannot be told to the app, which may not be the app at all, so a page tells the person; programs get JSON',
  ),
  404: noOrganization,
  503: away,
};
export const authorizeReference: Json = { parametersMore: queryOf(authorizeMembers), responses: authorizeAnswers };
export const authorizeFormReference: Json = { requestBody: formOf(authorizeMembers), responses: authorizeAnswers };

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
/**
 * A form that a client authenticates: web apps by Basic or by `client_secret` in the form, public ones by naming
 * themselves.
 */
const byClient = [{ clientBasic: [] }, {}];
const clientId = { description: 'Of spa and native apps, which have no secret', example: example.clientId };
const noClient = refused(
  '`invalid_client`: no such client here, a wrong secret, or a disabled app; the answer is the same',
  'invalid_client',
  'client authentication failed',
  {
    'WWW-Authenticate': { description: 'HTTP Basic is wanted', schema: { type: 'string' } },
  },
);

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
    400: refused(
      '`invalid_grant`: the code or refresh token is unknown, used, expired, of another app, or its customer can no longer sign in. `invalid_request`, `unsupported_grant_type`, `unauthorized_client`.',
      'invalid_grant',
      'grant request is invalid',
    ),
    401: noClient,
    404: noOrganization,
    503: away,
  },
};

const bearerErrors = {
  400: refused(
    '`invalid_request`: two tokens, or one in the query',
    'invalid_request',
    'access tokens belong in the Authorization header',
  ),
  401: refused(
    '`invalid_token`: no token, one that is unknown or expired, or whose customer can no longer sign in',
    'invalid_token',
    'invalid token provided',
    {
      'WWW-Authenticate': { $ref: '#/components/headers/WWW-Authenticate' },
    },
  ),
  404: noOrganization,
  503: away,
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
    400: refused(
      '`invalid_request`: no token, or one of another app. `unsupported_token_type`.',
      'invalid_request',
      "missing required parameter 'token'",
    ),
    401: noClient,
    404: noOrganization,
    503: away,
  },
};

const endSessionAnswers = {
  200: page('A page that asks whether to sign out; without `id_token_hint`, or with that of somebody else'),
  303: redirect('Signed out: to `post_logout_redirect_uri`, or to a page that says so'),
  400: page(
    '`invalid_request`, `invalid_client`: the hint is no ID token of this issuer, or the address is not registered. Nobody was signed out; programs get JSON',
  ),
  404: noOrganization,
  503: away,
};
export const endSessionReference: Json = { parametersMore: queryOf(endSessionMembers), responses: endSessionAnswers };
export const endSessionFormReference: Json = { requestBody: formOf(endSessionMembers), responses: endSessionAnswers };

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
    503: away,
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
    503: away,
  },
};

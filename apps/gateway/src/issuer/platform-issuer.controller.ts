import { Controller } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { platformIssuerPaths, tokenScopes } from '@holdfast/contracts';
import { endpoint } from '@holdfast/contracts/http';
import { describedJson, describedText, describedTexts, oauthErrorResponse } from '../docs/described.js';
import type { Json } from '../docs/json-schema.js';
import { clientCredentialsRequestOf } from './client-credentials/client-credentials-request.js';
import { TokenIssuing } from './client-credentials/token-issuing.js';
import { assertionMembers, dpopHeader } from './client-proofs.js';
import { ForwardingController, Forwards } from './forwarding.js';
import { AuthProxy } from './proxy/auth-proxy.js';

const tag = 'OAuth';

/** The token endpoint as RFC 6749 specifies it: auth validates its requests. */
const tokenReference: Json = {
  security: [{ clientBasic: [] }, {}],
  parametersMore: [dpopHeader],
  requestBody: {
    required: true,
    content: {
      'application/x-www-form-urlencoded': {
        schema: {
          type: 'object',
          properties: {
            grant_type: describedText('Always `client_credentials`', { const: 'client_credentials' }),
            scope: describedText(
              'The requested operations, separated by single spaces; all or none are granted. Known scopes: ' +
                tokenScopes.join(' '),
            ),
            ...assertionMembers,
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
            access_token: describedText(
              'Send it as `Authorization: Bearer …`, or `DPoP …`; its content is opaque to apps',
            ),
            token_type: describedText('`DPoP` if the request had a DPoP proof: the token is bound to its key', {
              enum: ['Bearer', 'DPoP'],
            }),
            expires_in: { type: 'integer', description: 'Lifetime in seconds: 600' },
            scope: describedText('The granted operations: those requested'),
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
    400: oauthErrorResponse(
      '`invalid_scope`: an operation that is unknown, not granted or for people only, or no scope at all. ' +
        '`unsupported_grant_type`, `invalid_request`. `invalid_dpop_proof`: a proof that is wrong, or missing ' +
        'although the app requires DPoP; `use_dpop_nonce`: make a new proof with the nonce of the header `DPoP-Nonce`.',
      'invalid_scope',
      'the app was not granted issued:manage',
    ),
    401: oauthErrorResponse(
      '`invalid_client`: no such client, a wrong secret or client assertion, a disabled app or a suspended ' +
        'organization; the response is the same',
      'invalid_client',
      'client authentication failed',
      {
        'WWW-Authenticate': { description: 'HTTP Basic is required', schema: { type: 'string' } },
      },
    ),
  },
};

const serverMetadataReference: Json = {
  responses: {
    200: {
      description: 'The metadata',
      content: describedJson(
        {
          type: 'object',
          properties: {
            issuer: describedText('The authorization server'),
            token_endpoint: describedText('Where tokens are issued'),
            grant_types_supported: describedTexts('Only `client_credentials`'),
            token_endpoint_auth_methods_supported: describedTexts('`client_secret_basic` and `private_key_jwt`'),
            token_endpoint_auth_signing_alg_values_supported: describedTexts('Algorithms of client assertions'),
            dpop_signing_alg_values_supported: describedTexts('Algorithms of DPoP proofs'),
            scopes_supported: describedTexts('Every operation that an app can be granted'),
          },
          description: 'Further members are those of RFC 8414',
          additionalProperties: true,
        },
        {
          issuer: 'https://id.example',
          token_endpoint: 'https://id.example/oauth2/token',
          grant_types_supported: ['client_credentials'],
          token_endpoint_auth_methods_supported: ['client_secret_basic', 'private_key_jwt'],
        },
      ),
    },
  },
};

export const tokenEndpoint = endpoint({
  id: 'createToken',
  method: 'POST',
  public: 'the client authenticates with its secret or key',
  limit: 'token',
  path: platformIssuerPaths.token,
  tag,
  action: 'token.issue',
  recorder: 'auth',
  errorForm: 'oauth',
  summary: 'Get an access token',
  description:
    'OAuth 2.0 client credentials (RFC 6749 §4.4) with HTTP Basic authentication, or with a client assertion (RFC ' +
    '7523) that the key of the app has signed: `aud` is the issuer, `exp` at most five minutes away, `jti` used ' +
    'once. Form-encoded: ' +
    '`grant_type=client_credentials` and `scope`, the requested operations, separated by spaces; each must have ' +
    'been granted to the app. The token is valid for ten minutes. Errors are those of RFC 6749 §5.2.',
  responses: { 200: { description: 'An access token' } },
  reference: tokenReference,
});

const metadataEndpoint = endpoint({
  id: 'getServerMetadata',
  method: 'GET',
  public: 'metadata, the same for everybody',
  limit: 'metadata',
  path: platformIssuerPaths.metadata,
  tag,
  unrecorded: 'metadata, the same for everybody',
  errorForm: 'oauth',
  summary: 'Metadata of the authorization server (RFC 8414)',
  responses: { 200: { description: 'The metadata' } },
  reference: serverMetadataReference,
});

/**
 * The platform's own authorization server. Client credentials with a secret, which nearly all programs send, go to auth
 * over the bus. Everything else goes to oidc-provider in auth by HTTP, as it was sent: other grants, client assertions,
 * DPoP, further parameters, malformed requests (docs/adr/0056-token-endpoint-over-the-bus.md).
 */
@Controller()
@Forwards([tokenEndpoint, metadataEndpoint])
export class PlatformIssuerController extends ForwardingController {
  constructor(
    proxy: AuthProxy,
    private readonly tokens: TokenIssuing,
  ) {
    super(proxy);
  }

  override async forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    const body = await this.proxy.readBody(request);
    const credentials = clientCredentialsRequestOf(request, body);
    if (credentials && (await this.tokens.respond(request, reply, credentials))) return;
    await this.proxy.send(request, reply, body);
  }
}

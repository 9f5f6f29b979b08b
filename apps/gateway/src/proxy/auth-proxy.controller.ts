import { CONFIG } from '@holdfast/bus';
import { Controller, Inject, Logger, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { serverMetadataReference, tokenReference } from '../docs/oauth.js';
import { endpoint, Route } from '../routing/endpoint.js';

const tag = 'OAuth';

export const tokenEndpoint = endpoint({
  id: 'createToken',
  method: 'POST',
  path: '/oauth2/token',
  tag,
  summary: 'Get an access token',
  description:
    'OAuth 2.0 client credentials (RFC 6749 §4.4) with HTTP Basic authentication. Form-encoded: `grant_type=client_credentials` and ' +
    '`scope`, the operations wanted, separated by spaces; each must have been granted to the app. The token lives ten minutes. Errors are those of RFC 6749 §5.2.',
  answers: { 200: { description: 'An access token' } },
  reference: tokenReference,
});

export const metadataEndpoint = endpoint({
  id: 'getServerMetadata',
  method: 'GET',
  path: '/.well-known/oauth-authorization-server',
  tag,
  summary: 'Metadata of the authorization server (RFC 8414)',
  answers: { 200: { description: 'The metadata' } },
  reference: serverMetadataReference,
});

/** Headers that only we may set: what a client says of itself under these names means nothing. */
const internal = /^(x-forwarded-|x-holdfast-|forwarded$|x-real-ip$)/;

/** Hands OAuth to auth, as it came: its bodies and errors follow their own standards. */
@Controller()
export class AuthProxyController {
  private readonly logger = new Logger('proxy');
  private turn = 0;

  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  @Route(tokenEndpoint)
  token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    // Node would drop all but the first: whoever reads the other one in front of us would see another client.
    const given = request.raw.headersDistinct.authorization ?? [];
    if (given.length > 1) void reply.code(400).send({ error: 'invalid_request', error_description: 'send one Authorization header' });
    else this.pass(request, reply);
  }

  @Route(metadataEndpoint)
  metadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): void {
    this.pass(request, reply);
  }

  private pass(request: FastifyRequest, reply: FastifyReply): void {
    const { AUTH_URLS, BASE_URL } = this.config;
    const upstream = AUTH_URLS[(this.turn = (this.turn + 1) % AUTH_URLS.length)]!;
    const { requestId, trace } = request.call;
    const { protocol, host } = new URL(BASE_URL);
    void reply.from(`${upstream}${request.url}`, {
      rewriteRequestHeaders: (_, headers) => ({
        ...Object.fromEntries(Object.entries(headers).filter(([name]) => !internal.test(name))),
        host,
        'x-forwarded-proto': protocol.slice(0, -1),
        'x-forwarded-host': host,
        'x-request-id': requestId,
        traceparent: trace.traceparent,
      }),
      onError: (failed, { error }) => {
        this.logger.error(error);
        void failed.code(503).header('retry-after', '1').type('application/json').send('{"error":"temporarily_unavailable","error_description":"the authorization server is not reachable right now"}');
      },
    });
  }
}

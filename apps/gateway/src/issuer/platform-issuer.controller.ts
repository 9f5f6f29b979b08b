import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { endpoint, Route } from '../endpoints/endpoint.js';
import { serverMetadataReference, tokenReference } from './oauth-reference.js';
import { AuthProxy } from './proxy/auth-proxy.js';

const tag = 'OAuth';

export const tokenEndpoint = endpoint({
  id: 'createToken',
  method: 'POST',
  limit: 'token',
  path: '/oauth2/token',
  tag,
  action: 'token.issue',
  recorder: 'auth',
  errorForm: 'oauth',
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
  limit: 'metadata',
  path: '/.well-known/oauth-authorization-server',
  tag,
  unrecorded: 'metadata, the same for everybody',
  errorForm: 'oauth',
  summary: 'Metadata of the authorization server (RFC 8414)',
  answers: { 200: { description: 'The metadata' } },
  reference: serverMetadataReference,
});

/** The platform's own authorization server. */
@Controller()
export class AuthProxyController {
  constructor(private readonly proxy: AuthProxy) {}

  @Route(tokenEndpoint)
  token(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.proxy.pass(request, reply);
  }

  @Route(metadataEndpoint)
  metadata(@Req() request: FastifyRequest, @Res() reply: FastifyReply): Promise<void> {
    return this.proxy.pass(request, reply);
  }
}

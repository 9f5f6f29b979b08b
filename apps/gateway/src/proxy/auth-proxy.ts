import type { IncomingHttpHeaders } from 'node:http';
import { CONFIG } from '@holdfast/bus';
import { errorCatalogue, type ErrorCode } from '@holdfast/contracts';
import { AppError } from '@holdfast/kit';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { GatewayConfig } from '../config.js';
import { problemHeaders, problemOf, problemType } from '../errors/problem.js';

/** Headers that only we may set: what a client says of itself under these names means nothing. */
const internal = /^(x-forwarded-|x-holdfast-|forwarded$|x-real-ip$)/;
/** By which auth names an error of ours: errors of OAuth it renders itself, these only we do. */
const errorHeader = 'x-holdfast-error';

/** By which auth learns where a customer comes from. */
const addressHeader = 'x-holdfast-client-address';

/** Hands a request to auth as it came, body unread: its bodies and errors follow their own standards. */
@Injectable()
export class AuthProxy {
  private turn = 0;

  constructor(@Inject(CONFIG) private readonly config: GatewayConfig) {}

  pass(request: FastifyRequest, reply: FastifyReply): void {
    const { AUTH_URLS, BASE_URL } = this.config;
    const upstream = AUTH_URLS[(this.turn = (this.turn + 1) % AUTH_URLS.length)]!;
    const { requestId, trace } = request.call;
    const { protocol, host } = new URL(BASE_URL);
    // The path alone: the query goes along as it came. The proxy would take `../` in an app's state for a trick with the
    // path, and fail on a percent sign that encodes nothing.
    void reply.from(upstream + request.url.split('?')[0]!, {
      // Its 503 says that something is away, and the caller decides when to come again.
      retryDelay: () => null,
      rewriteRequestHeaders: (_, headers) => ({
        ...Object.fromEntries(Object.entries(headers as IncomingHttpHeaders).filter(([name]) => !internal.test(name))),
        host,
        'x-forwarded-proto': protocol.slice(0, -1),
        'x-forwarded-host': host,
        [addressHeader]: request.ip,
        'x-request-id': requestId,
        traceparent: trace.traceparent,
      }),
      onResponse: (_, answered, response) => {
        const code = answered.getHeader(errorHeader);
        const { stream } = response as unknown as { stream: NodeJS.ReadableStream };
        if (typeof code === 'string' && code in errorCatalogue) {
          stream.resume();
          this.problem(request, answered as FastifyReply, code as ErrorCode);
        } else void (answered as FastifyReply).send(stream);
      },
      onError: (failed, { error }) => {
        request.call.origin = { dependency: 'auth', cause: 'unreachable' };
        request.call.detail = String(error);
        void failed.code(503).header('retry-after', '1').type('application/json').send('{"error":"temporarily_unavailable","error_description":"the authorization server is not reachable right now"}');
      },
    });
  }

  private problem(request: FastifyRequest, reply: FastifyReply, code: ErrorCode): void {
    const retryAfter = Number(reply.getHeader('retry-after'));
    const error = new AppError(code, undefined, { ...(retryAfter && { retryAfter }), ...(code === 'invalid_request' && { status: reply.statusCode }) });
    request.call.code = code;
    void reply.removeHeader(errorHeader).removeHeader('content-length');
    const { BASE_URL } = this.config;
    void reply.code(error.status).headers(problemHeaders(error, BASE_URL)).type(problemType).send(JSON.stringify(problemOf(error, request.call.requestId, BASE_URL)));
  }
}

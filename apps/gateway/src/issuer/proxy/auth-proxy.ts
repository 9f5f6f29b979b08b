import type { IncomingMessage } from 'node:http';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { errorCatalogue, internalHeaders, type ErrorCause, type ErrorCode } from '@holdfast/contracts';
import { AppError, isRepeated, networkOf, readBody } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { originOf } from '../../edge/observe-requests.js';
import { chosenByCaller } from '../../edge/request-context.js';
import { NotStartedError, type AuthResponse } from './auth-replica.js';
import { AuthReplicas } from './auth-replicas.js';
import { ConcurrencyLimit, NoCapacityError } from './concurrency-limit.js';
import { requestHeaders } from './proxied-headers.js';

/** Bytes of a form or an assertion: a few kilobytes are the rule, and auth's own bounds are no wider. */
const maxBodyBytes = 65_536;

/**
 * How many may wait for a connection to auth, and for how long: what would wait longer is better told to come again.
 */
const maxWaiting = 1024;
const maxWaitingPerNetwork = 256;
const maxWaitMs = 500;

const underWay = new Gauge({ name: 'holdfast_auth_requests_under_way', help: 'Requests that are under way at auth' });
const shed = new Counter({
  name: 'holdfast_auth_shed_total',
  help:
    'Requests to auth that were refused at once: `key` when their network had too many under way, `all` when there ' +
    'were too many altogether',
  labelNames: ['because'],
});

/**
 * Hands a request to auth: its bodies and errors follow their own standards. The body is read before a connection to
 * auth is taken and the answer before it is given out, so that a slow client holds nothing but its own socket.
 */
@Injectable()
export class AuthProxy {
  private readonly limit: ConcurrencyLimit;

  constructor(
    private readonly replicas: AuthReplicas,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {
    const max = config.AUTH_MAX_CONNECTIONS * config.AUTH_URLS.length;
    this.limit = new ConcurrencyLimit({
      max,
      maxPerKey: Math.min(config.AUTH_MAX_REQUESTS_PER_ADDRESS, max),
      maxWaiting,
      maxWaitingPerKey: maxWaitingPerNetwork,
      maxWaitMs,
    });
  }

  async pass(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    // Node keeps the first: a proxy in front of us that reads the last would see another client.
    if (isRepeated(request.raw, 'authorization'))
      throw new AppError('invalid_request', 'Send one Authorization header.', { status: 400 });
    const body = request.body
      ? await readBody(request.body as IncomingMessage, {
          maxBytes: maxBodyBytes,
          timeoutMs: this.config.HTTP_BODY_TIMEOUT_SECONDS * 1000,
        })
      : undefined;
    this.answer(request, reply, await this.ask(request, body));
  }

  private async ask(request: FastifyRequest, body: Buffer | undefined): Promise<AuthResponse> {
    const { requestId, trace, address } = request.requestContext;
    const headers = requestHeaders(request.headers, {
      baseUrl: this.config.BASE_URL,
      address,
      requestId,
      traceparent: trace.traceparent,
      ...chosenByCaller(request.requestContext),
    });
    // A caller who leaves now is still asked about: an attempt must be counted though nobody reads the answer.
    const send = async () => {
      underWay.inc();
      return this.replicas
        .send({ method: request.method, path: request.url, headers, ...(body && { body }) })
        .finally(() => underWay.dec());
    };
    try {
      return await this.limit.run(networkOf(address), send);
    } catch (error) {
      // For the access line: a caller learns no more than that it is to come again.
      request.requestContext.detail = String(error);
      if (error instanceof NoCapacityError) shed.inc({ because: error.because });
      if (error instanceof NoCapacityError && error.because === 'key')
        throw new AppError('rate_limited', undefined, { retryAfter: 1 });
      throw new AppError('unavailable', undefined, {
        retryAfter: 1,
        origin: { dependency: 'auth', cause: causeOf(error) },
      });
    }
  }

  private answer(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: AuthResponse): void {
    // Ours to set, as the caller sent them.
    const { [internalHeaders.error]: code, 'x-request-id': _, traceparent: __, ...passed } = headers;
    request.requestContext.answeredByAuth = true;
    if (typeof code === 'string' && code in errorCatalogue) throw problemOf(code as ErrorCode, status, passed);
    void reply.code(status).headers(passed).send(body);
  }
}

/** An error of ours that auth has named. */
function problemOf(code: ErrorCode, status: number, headers: AuthResponse['headers']): AppError {
  const { 'retry-after': later, [internalHeaders.origin]: told } = headers;
  const retryAfter = Number(later);
  return new AppError(code, undefined, {
    ...(retryAfter && { retryAfter }),
    ...(code === 'invalid_request' && { status }),
    ...(told !== undefined && { origin: originOf('auth', told) }),
  });
}

function causeOf(error: unknown): ErrorCause {
  if (error instanceof NoCapacityError) return 'overloaded';
  return error instanceof NotStartedError ? 'unreachable' : 'timeout';
}

import type { IncomingMessage } from 'node:http';
import { Readable } from 'node:stream';
import { Inject, Injectable } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Counter, Gauge } from 'prom-client';
import { errorCatalogue, internalHeaders, type ErrorCause, type ErrorCode } from '@holdfast/contracts';
import { AppError, inSpan, isRepeated, networkOf, readBody, SpanKind, type SpanDescription } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { clientAddressOf } from '../../edge/client-address.js';
import { parseErrorOrigin } from '../../edge/observe-requests.js';
import { isRecordedBy } from '../../edge/recording.js';
import { callerIdsOf, matchedRoute, routeTemplate } from '../../edge/request-context.js';
import { NotStartedError, type AuthResponse } from './auth-replica.js';
import { AuthReplicas } from './auth-replicas.js';
import { ConcurrencyLimit, NoCapacityError } from './concurrency-limit.js';
import { requestHeaders } from './proxied-headers.js';

/** Forms and assertions have a few kilobytes; auth's own limits are no higher. */
const maxBodyBytes = 65_536;

/** Limits of requests that wait for a connection to auth. A retry serves a caller better than a longer wait. */
const maxWaiting = 256;
const maxWaitingPerNetwork = 128;
const maxWaitMs = 500;
const maxQueueAgeMs = 250;

const requestsInFlight = new Gauge({
  name: 'holdfast_auth_requests_in_flight',
  help: 'Requests sent to auth that have no response yet',
});
const shed = new Counter({
  name: 'holdfast_auth_shed_total',
  help:
    'Requests that were refused instead of being sent to auth: `key` when their network had too many concurrent ' +
    'requests, `all` when there were too many in total',
  labelNames: ['because'],
});

/**
 * Forwards requests to auth, whose bodies and errors follow OAuth and OpenID Connect. The body is read completely
 * before a connection to auth is taken, and the response before it is sent on, so that a slow client occupies nothing
 * but its own socket.
 */
@Injectable()
export class AuthProxy {
  private readonly limit: ConcurrencyLimit;
  /** Known from the first request of each. */
  private readonly forwardedRoutes = new Set<string>();

  constructor(
    private readonly replicas: AuthReplicas,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {
    this.limit = new ConcurrencyLimit({
      max: () => config.AUTH_MAX_CONNECTIONS * Math.max(1, replicas.count),
      maxPerKey: config.AUTH_MAX_REQUESTS_PER_ADDRESS,
      maxWaiting,
      maxWaitingPerKey: maxWaitingPerNetwork,
      maxWaitMs,
      maxQueueAgeMs,
    });
  }

  /** Why a request would not be sent to auth, by the present state of its limits; for an early rejection. */
  limitReached(request: FastifyRequest): 'network' | 'auth' | undefined {
    if (!this.forwardedRoutes.has(matchedRoute(request))) return undefined;
    const reached = this.limit.reached(networkOf(clientAddressOf(request)));
    return reached && (reached === 'key' ? 'network' : 'auth');
  }

  async forward(request: FastifyRequest, reply: FastifyReply): Promise<void> {
    await this.send(request, reply, await this.readBody(request));
  }

  /** The complete body of a request to auth. @throws AppError */
  async readBody(request: FastifyRequest): Promise<Buffer | undefined> {
    this.forwardedRoutes.add(matchedRoute(request));
    // Node keeps the first header. A proxy in front of us that reads the last would see another client.
    if (isRepeated(request.raw, 'authorization'))
      throw new AppError('invalid_request', 'Send one Authorization header.', { status: 400 });
    return request.body
      ? readBody(request.body as IncomingMessage, {
          maxBytes: maxBodyBytes,
          timeoutMs: this.config.HTTP_BODY_TIMEOUT_SECONDS * 1000,
        })
      : undefined;
  }

  /** Sends a request whose body has been read to auth, and the response on. @throws AppError */
  async send(request: FastifyRequest, reply: FastifyReply, body: Buffer | undefined): Promise<void> {
    const { requestId, trace, address } = request.requestContext;
    const headers = requestHeaders(request.headers, {
      baseUrl: this.config.BASE_URL,
      address,
      requestId,
      traceparent: trace.traceparent,
      ...callerIdsOf(request.requestContext),
    });
    const response = await this.withinLimits(request, () =>
      inSpan(
        () => spanOf(request),
        (traceparent = trace.traceparent) =>
          this.replicas.send({
            method: request.method,
            path: request.url,
            headers: { ...headers, traceparent },
            ...(body && { body }),
          }),
      ),
    );
    this.respond(request, reply, response);
  }

  /** Runs work of auth for a request within the limits, whichever way auth is asked. @throws AppError */
  async withinLimits<T>(request: FastifyRequest, work: () => Promise<T>): Promise<T> {
    try {
      return await this.limit.run(networkOf(request.requestContext.address), async () => {
        // While it waited. Once it is sent, its end does not depend on the caller: auth must count every attempt.
        if (request.raw.socket.destroyed) throw new AppError('client_closed_request');
        requestsInFlight.inc();
        return work().finally(() => requestsInFlight.dec());
      });
    } catch (error) {
      if (error instanceof AppError) throw error;
      // The detail is for the access line; the caller only gets the code and Retry-After.
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

  private respond(request: FastifyRequest, reply: FastifyReply, { status, headers, body }: AuthResponse): void {
    // The gateway sets these itself, to the values that the caller sent.
    const { [internalHeaders.error]: code, 'x-request-id': _, traceparent: __, ...forwarded } = headers;
    isRecordedBy(request, 'auth');
    if (typeof code === 'string' && code in errorCatalogue) throw problemOf(code as ErrorCode, status, forwarded);
    void reply.code(status).headers(forwarded).send(contentOf(request, body));
  }
}

/**
 * Content that leaves the headers of auth as they are. Fastify gives each buffer a content type, an empty one too, and
 * clients read what has one (RFC 7009 §2.2). A response to HEAD has the length of GET, which only a stream does not
 * replace.
 */
function contentOf({ method }: FastifyRequest, body: Buffer): Readable | Buffer | undefined {
  if (method === 'HEAD') return Readable.from([]);
  return body.length > 0 ? body : undefined;
}

/** The span of a forwarded request: its route, since the path names organizations and sign-ins. */
function spanOf(request: FastifyRequest): SpanDescription {
  const route = routeTemplate(request);
  return {
    name: `${request.method} ${route}`,
    kind: SpanKind.CLIENT,
    attributes: { 'http.request.method': request.method, 'url.template': route, 'server.address': 'auth' },
  };
}

/** The problem for an error whose code auth sent in a header. */
function problemOf(code: ErrorCode, status: number, headers: AuthResponse['headers']): AppError {
  const { 'retry-after': retryAfterHeader, [internalHeaders.origin]: origin } = headers;
  const retryAfter = Number(retryAfterHeader);
  return new AppError(code, undefined, {
    ...(retryAfter && { retryAfter }),
    ...(code === 'invalid_request' && { status }),
    ...(origin !== undefined && { origin: parseErrorOrigin('auth', origin) }),
  });
}

function causeOf(error: unknown): ErrorCause {
  if (error instanceof NoCapacityError) return 'overloaded';
  return error instanceof NotStartedError ? 'unreachable' : 'timeout';
}

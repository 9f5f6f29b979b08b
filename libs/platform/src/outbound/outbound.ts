import type { TLSSocket } from 'node:tls';
import type { Agent, Dispatcher } from 'undici';
import type { Logger } from '../logging/logger.js';
import { LatencyHistogram, secondsSince } from '../tracing/latency-histogram.js';
import { inSpan, SpanKind } from '../tracing/spans.js';
import { requireDestination, type OutboundRules } from './destination.js';
import { certificateError, OutboundError } from './outbound-error.js';
import { resolveWithNameServers, type Resolve } from './public-addresses.js';
import { guardedTlsConnection, requireTlsDestination } from './tls-connection.js';

export interface OutboundRequest {
  method?: 'GET' | 'POST';
  headers?: Record<string, string>;
  body?: string | Buffer;
  /** For lookup, connection and response together. */
  timeoutMs?: number;
  /** A larger response is an error, unless `ignoresRest`: then it ends there. */
  maxBytes?: number;
  /** Only the beginning of the body matters, if at all: the status says everything. */
  ignoresRest?: boolean;
  /** Statuses other than 2xx whose response is no error; `all`: none is, and redirects are not followed either. */
  acceptedStatuses?: readonly number[] | 'all';
}

export interface OutboundResponse {
  status: number;
  headers: Record<string, string | string[] | undefined>;
  body: Buffer;
}

/** A server that speaks another protocol than HTTP over TLS. */
export interface TlsDestination {
  host: string;
  port: number;
  /** Certificates (PEM) by which it proves itself, instead of the public authorities. */
  ca?: string | undefined;
  /** For lookup, connection and handshake together. */
  timeoutMs?: number;
}

const outboundSeconds = new LatencyHistogram({
  name: 'holdfast_outbound_request_seconds',
  help: 'Duration of requests to addresses that organizations chose, by outcome',
  labelNames: ['outcome'],
  buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
});

const defaultTimeoutMs = 10_000;
const defaultMaxBytes = 65_536;

/**
 * The only client for URLs that others chose: https to public addresses only, without redirects, cookies and proxies
 * from the environment, limited in time and size. `OUTBOUND_ALLOW` lists exceptions, and
 * `OUTBOUND_ALLOW_LOOPBACK` makes this machine one.
 */
export class Outbound {
  private agent: Agent | undefined;
  private closed = false;

  constructor(
    private readonly rules: OutboundRules,
    logger: Logger,
    private readonly resolve: Resolve = resolveWithNameServers,
  ) {
    for (const origin of rules.allow)
      logger.warn(
        { origin },
        `OUTBOUND_ALLOW lets this service call ${origin}, whatever its address is. ` +
          'Use it for tests and self-hosting only.',
      );
    if (rules.loopback)
      logger.warn(
        'OUTBOUND_ALLOW_LOOPBACK lets this service call every port of this machine. Use it on a machine of ' +
          'developers only.',
      );
  }

  /**
   * Checks a URL at its registration, without calling it. @throws OutboundError
   */
  check(url: string): void {
    requireDestination(url, this.rules);
  }

  /** @throws OutboundError, also for every response that is not 2xx */
  async request(
    url: string,
    { timeoutMs = defaultTimeoutMs, ...request }: OutboundRequest = {},
  ): Promise<OutboundResponse> {
    const library = await import('./agent.js');
    const startedAtMs = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    // The library checks the signal once it is connected, so a lookup or a connection could take longer.
    const timeout = new Promise<never>((_, reject) =>
      signal.addEventListener('abort', () => reject(signal.reason as Error), { once: true }),
    );
    try {
      const response = await inSpan(
        () => spanOf(request),
        () => Promise.race([this.send(library, url, request, signal), timeout]),
      );
      outboundSeconds.observe({ outcome: 'succeeded' }, secondsSince(startedAtMs));
      return response;
    } catch (error) {
      const refused = toOutboundError(error, signal);
      outboundSeconds.observe({ outcome: refused.failure }, secondsSince(startedAtMs));
      throw refused;
    }
  }

  private async send(
    { guardedAgent, request }: typeof import('./agent.js'),
    url: string,
    {
      method = 'POST',
      headers,
      body,
      maxBytes = defaultMaxBytes,
      ignoresRest = false,
      acceptedStatuses = [],
    }: OutboundRequest,
    signal: AbortSignal,
  ): Promise<OutboundResponse> {
    const destination = requireDestination(url, this.rules);
    if (this.closed) throw new OutboundError('no response', 'no response: this process stops.');
    const response = await request(destination, {
      dispatcher: (this.agent ??= guardedAgent(this.rules, this.resolve)),
      method,
      signal,
      body: body ?? null,
      headers: { 'user-agent': 'Holdfast', accept: '*/*', 'accept-encoding': 'identity', ...headers },
    });
    const { statusCode: status } = response;
    const isAccepted = acceptedStatuses === 'all' || acceptedStatuses.includes(status);
    if ((status < 200 || status > 299) && !isAccepted) {
      const { 'retry-after': retryAfter } = response.headers;
      response.body.on('error', () => undefined).destroy();
      throw new OutboundError(
        'status',
        status >= 300 && status < 400 ? `status ${status}: redirects are not followed.` : `status ${status}.`,
        status,
        typeof retryAfter === 'string' ? retryAfter : undefined,
      );
    }
    return { status, headers: response.headers, body: await readBody(response.body, maxBytes, ignoresRest, signal) };
  }

  /**
   * Connects to a server by TLS, by the same rules as request(). The server proves itself for `host`, by the
   * certificates of `ca` or by the public authorities. @throws OutboundError
   */
  async connectTls({ host, port, ca, timeoutMs = defaultTimeoutMs }: TlsDestination): Promise<TLSSocket> {
    const startedAtMs = performance.now();
    const signal = AbortSignal.timeout(timeoutMs);
    try {
      const socket = await guardedTlsConnection({ host, port, ca, signal }, this.rules, this.resolve);
      outboundSeconds.observe({ outcome: 'succeeded' }, secondsSince(startedAtMs));
      return socket;
    } catch (error) {
      const refused = toOutboundError(error, signal);
      outboundSeconds.observe({ outcome: refused.failure }, secondsSince(startedAtMs));
      throw refused;
    }
  }

  /** Checks the address of connectTls() at its registration, without connecting. @throws OutboundError */
  checkTls({ host, port }: Pick<TlsDestination, 'host' | 'port'>): void {
    requireTlsDestination(host, port, this.rules);
  }

  async close(): Promise<void> {
    this.closed = true;
    await this.agent?.destroy();
  }
}

/** Without the address, which organizations choose. They get no trace either. */
function spanOf({ method = 'POST' }: OutboundRequest) {
  return { name: method, kind: SpanKind.CLIENT, attributes: { 'http.request.method': method } };
}

async function readBody(
  body: Dispatcher.ResponseData['body'],
  maxBytes: number,
  ignoresRest: boolean,
  signal: AbortSignal,
): Promise<Buffer> {
  const chunks: Buffer[] = [];
  try {
    await collect(body, maxBytes, chunks);
  } catch (error) {
    // The server has accepted the request; a body that is long, slow or broken off takes nothing back.
    if (!ignoresRest || signal.aborted) throw error;
  }
  return Buffer.concat(chunks).subarray(0, maxBytes);
}

async function collect(body: Dispatcher.ResponseData['body'], maxBytes: number, chunks: Buffer[]): Promise<void> {
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop destroys the stream, and with it the connection.
    if (size > maxBytes)
      throw new OutboundError('too large', `too large: the response has more than ${maxBytes} bytes.`);
    chunks.push(chunk);
  }
}

/** Passes on only the kind of the error, since details of a failed connection reveal the internal network. */
function toOutboundError(error: unknown, signal: AbortSignal): OutboundError {
  if (error instanceof OutboundError) return error;
  const code = typeof error === 'object' && error !== null && 'code' in error ? String(error.code) : '';
  if (signal.aborted || /TIMEOUT/.test(code)) return new OutboundError('timed out', 'timed out.');
  return certificateError(code) ?? new OutboundError('no response', 'no response.');
}

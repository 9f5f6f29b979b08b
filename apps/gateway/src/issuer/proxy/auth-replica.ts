import { setImmediate } from 'node:timers/promises';
import { buildConnector, Pool, type Dispatcher } from 'undici';
import { internalHeaders } from '@holdfast/contracts';
import { endToEnd } from './proxied-headers.js';
import type { ReplicaAddress } from './replica-urls.js';

const connectTimeoutMs = 1000;
/** Shorter than auth's own keep-alive, so that no request is sent on a connection that auth is closing. */
const keepAliveMs = 30_000;
/** Tokens, pages and key sets have some kilobytes. */
const maxResponseBytes = 2_000_000;
/** After this many probes without a response, and without any other response meanwhile, a replica hangs. */
const maxUnansweredProbes = 2;

export interface AuthRequest {
  method: string;
  path: string;
  headers: Record<string, string | string[]>;
  body?: Buffer;
}

export interface AuthResponse {
  status: number;
  headers: Record<string, string | string[]>;
  body: Buffer;
}

/**
 * `unready`: its readiness probe fails; it gets requests only if no replica is `up`. `down`: it refuses connections,
 * hangs, or is stopping.
 */
export type ReplicaState = 'up' | 'unready' | 'down';

/** The replica has not started to handle the request, so it may be sent to another one. */
export class NotStartedError extends Error {}

export interface ReplicaOptions {
  /** Connections at once. */
  connections: number;
  /** Of a complete response. */
  timeoutMs: number;
  /** Certificates of a new connection, for an https URL. */
  tls: () => ReplicaTls;
}

/** In PEM: what the replica must prove itself by, and what the gateway proves itself by. */
export interface ReplicaTls {
  ca?: string;
  cert?: string;
  key?: string;
}

/** One replica of auth: its connections, its requests in progress, and its state. */
export class AuthReplica {
  state: ReplicaState = 'up';
  private readonly timeoutMs: number;
  private readonly pool: Pool;
  /** Probes have their own connection, so that they do not wait behind requests that hang. */
  private readonly prober: Pool;
  private readonly inFlight = new Set<AbortController>();
  private lastResponseAt = 0;
  private downAt = 0;
  private unansweredProbes = 0;

  readonly url: string;
  /** The name in its certificate. The Host header is the public name of Holdfast. */
  private readonly servername: string;

  constructor(
    { url, hostname }: ReplicaAddress,
    { connections, timeoutMs, tls }: ReplicaOptions,
    private readonly onChange: (replica: AuthReplica, reason: string) => void,
  ) {
    // send() and probe() have exact time limits of their own, which include the wait for a connection.
    const common = {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      // Certificates are read for each connection, so that renewed ones need no restart.
      connect: ((options, callback) =>
        buildConnector({ timeout: connectTimeoutMs, ...tls() })(options, callback)) satisfies buildConnector.connector,
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    };
    this.url = url;
    this.servername = hostname;
    this.pool = new Pool(url, { ...common, connections, maxResponseSize: maxResponseBytes });
    this.prober = new Pool(url, { ...common, connections: 1 });
    this.timeoutMs = timeoutMs;
  }

  get load(): number {
    return this.inFlight.size;
  }

  /**
   * @throws NotStartedError when another replica may get the request; any other error when this one may have handled it
   */
  async send({ method, path, headers, body }: AuthRequest): Promise<AuthResponse> {
    const sentAt = performance.now();
    const abort = new AbortController();
    const timer = setTimeout(
      () => abort.abort(new Error(`auth did not respond within ${this.timeoutMs} ms`)),
      this.timeoutMs,
    );
    this.inFlight.add(abort);
    try {
      const response = await this.pool.request(
        this.named({ method, path, headers, ...(body && { body }), signal: abort.signal }),
      );
      if (response.headers[internalHeaders.closing] !== undefined) {
        await response.body.dump();
        this.changeState('down', 'it is stopping');
        throw new NotStartedError('the replica is stopping');
      }
      this.onResponse(sentAt);
      return {
        status: response.statusCode,
        headers: endToEnd(response.headers),
        body: Buffer.from(await response.body.arrayBuffer()),
      };
    } catch (error) {
      if (!neverConnected(error)) throw error;
      this.changeState('down', reasonOf(error));
      throw new NotStartedError(reasonOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
      this.inFlight.delete(abort);
    }
  }

  /** Requests the readiness of the replica, on a separate connection. */
  async probe(timeoutMs: number): Promise<void> {
    const sentAt = performance.now();
    try {
      const { statusCode, headers, body } = await this.prober.request(
        this.named({ method: 'GET', path: '/readyz', signal: AbortSignal.timeout(timeoutMs) }),
      );
      await body.dump();
      if (headers[internalHeaders.closing] !== undefined) this.changeState('down', 'it is stopping');
      else this.markResponsive(statusCode === 503 ? 'unready' : 'up');
    } catch (error) {
      // The event loop of this process may have been blocked: read responses that have arrived before the timer counts.
      await setImmediate();
      if (this.lastResponseAt > sentAt) return;
      this.unansweredProbes += 1;
      if (neverConnected(error)) this.changeState('down', reasonOf(error));
      else if (this.unansweredProbes >= maxUnansweredProbes) this.markHung();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.prober.destroy()]);
  }

  /**
   * With the name that the certificate must have. undici would take the Host header, and its types do not declare this
   * option of its dispatchers.
   */
  private named(request: Dispatcher.RequestOptions): Dispatcher.RequestOptions {
    return { ...request, servername: this.servername } as Dispatcher.RequestOptions;
  }

  private onResponse(sentAt: number): void {
    // A replica that is stopping still completes requests in progress. Only the response to a later request proves that
    // it is up again.
    this.markResponsive(this.state === 'down' && sentAt > this.downAt ? 'up' : this.state);
  }

  private markResponsive(state: ReplicaState): void {
    this.lastResponseAt = performance.now();
    this.unansweredProbes = 0;
    this.changeState(state, state === 'unready' ? 'its readiness probe fails' : 'it responds');
  }

  /** Aborts the requests in progress at a replica that hangs: they would wait for the whole time-out. */
  private markHung(): void {
    this.changeState('down', 'it does not respond');
    for (const abort of this.inFlight) abort.abort(new Error('auth does not respond'));
  }

  private changeState(state: ReplicaState, reason: string): void {
    if (state === this.state) return;
    this.state = state;
    if (state === 'down') this.downAt = performance.now();
    this.onChange(this, reason);
  }
}

/** Whether the connection failed before anything was sent on it. */
function neverConnected(error: unknown): boolean {
  const { code, syscall, errors } = (error ?? {}) as Partial<NodeJS.ErrnoException> & { errors?: unknown[] };
  // For a name with several addresses, Node aggregates one error per attempt.
  if (errors) return errors.length > 0 && errors.every(neverConnected);
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

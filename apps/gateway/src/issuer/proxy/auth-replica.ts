import { setImmediate } from 'node:timers/promises';
import { Pool } from 'undici';
import { internalHeaders } from '@holdfast/contracts';
import { endToEnd } from './proxied-headers.js';

const connectTimeoutMs = 1000;
/** Shorter than auth keeps its side open, so that nothing is sent into a connection that is just closing. */
const keepAliveMs = 30_000;
/** Of an answer: tokens, pages and key sets have some kilobytes. */
const maxResponseBytes = 2_000_000;
/** A replica that says nothing for so many probes, and answers nothing else meanwhile, hangs. */
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
 * `unready`: it says so itself; it may still answer better than nobody. `down`: it refuses connections, hangs, or
 * stops.
 */
export type ReplicaState = 'up' | 'unready' | 'down';

/** Not one byte of the request was acted on: it may be sent to another replica. */
export class NotStartedError extends Error {}

/** One replica of auth: its connections, what is under way there, and whether it answers. */
export class AuthReplica {
  state: ReplicaState = 'up';
  private readonly timeoutMs: number;
  private readonly pool: Pool;
  /** Of its own: a probe must not wait behind the requests whose fate it is about. */
  private readonly prober: Pool;
  private readonly underWay = new Set<AbortController>();
  private lastResponseAt = 0;
  private downAt = 0;
  private unansweredProbes = 0;

  constructor(
    readonly url: string,
    { connections, timeoutMs }: { connections: number; timeoutMs: number },
    private readonly onChange: (replica: AuthReplica, why: string) => void,
  ) {
    // Times are kept by send() and probe(): from queue to last byte, and to the millisecond.
    const common = {
      pipelining: 1,
      headersTimeout: 0,
      bodyTimeout: 0,
      connect: { timeout: connectTimeoutMs },
      keepAliveTimeout: keepAliveMs,
      keepAliveMaxTimeout: keepAliveMs,
    };
    this.pool = new Pool(url, { ...common, connections, maxResponseSize: maxResponseBytes });
    this.prober = new Pool(url, { ...common, connections: 1 });
    this.timeoutMs = timeoutMs;
  }

  get load(): number {
    return this.underWay.size;
  }

  /** @throws NotStartedError when it may be sent elsewhere; anything else when the replica may have acted on it */
  async send({ method, path, headers, body }: AuthRequest): Promise<AuthResponse> {
    const sentAt = performance.now();
    const abort = new AbortController();
    const timer = setTimeout(
      () => abort.abort(new Error(`auth did not answer within ${this.timeoutMs} ms`)),
      this.timeoutMs,
    );
    this.underWay.add(abort);
    try {
      const answer = await this.pool.request({ method, path, headers, ...(body && { body }), signal: abort.signal });
      if (answer.headers[internalHeaders.closing] !== undefined) {
        await answer.body.dump();
        this.become('down', 'it is stopping');
        throw new NotStartedError('the replica is stopping');
      }
      this.answered(sentAt);
      return {
        status: answer.statusCode,
        headers: endToEnd(answer.headers),
        body: Buffer.from(await answer.body.arrayBuffer()),
      };
    } catch (error) {
      if (!neverConnected(error)) throw error;
      this.become('down', reasonOf(error));
      throw new NotStartedError(reasonOf(error), { cause: error });
    } finally {
      clearTimeout(timer);
      this.underWay.delete(abort);
    }
  }

  /** Asks whether it is ready; on its own connection, and with little patience. */
  async probe(timeoutMs: number): Promise<void> {
    const sentAt = performance.now();
    try {
      const { statusCode, headers, body } = await this.prober.request({
        method: 'GET',
        path: '/readyz',
        signal: AbortSignal.timeout(timeoutMs),
      });
      await body.dump();
      if (headers[internalHeaders.closing] !== undefined) this.become('down', 'it is stopping');
      else this.heard(statusCode === 503 ? 'unready' : 'up');
    } catch (error) {
      // It may have been we who stood still: what has arrived meanwhile is read before the timer is believed.
      await setImmediate();
      if (this.lastResponseAt > sentAt) return;
      this.unansweredProbes += 1;
      if (neverConnected(error)) this.become('down', reasonOf(error));
      else if (this.unansweredProbes >= maxUnansweredProbes) this.giveUp();
    }
  }

  async close(): Promise<void> {
    await Promise.all([this.pool.close(), this.prober.destroy()]);
  }

  private answered(sentAt: number): void {
    // Whoever stops still answers what was under way; only what was sent since then shows that it is back.
    this.heard(this.state === 'down' && sentAt > this.downAt ? 'up' : this.state);
  }

  private heard(state: ReplicaState): void {
    this.lastResponseAt = performance.now();
    this.unansweredProbes = 0;
    this.become(state, state === 'unready' ? 'it says that it is not ready' : 'it answers');
  }

  /** It hangs: whoever waits for it would wait for the whole time-out. */
  private giveUp(): void {
    this.become('down', 'it does not answer');
    for (const abort of this.underWay) abort.abort(new Error('auth does not answer'));
  }

  private become(state: ReplicaState, why: string): void {
    if (state === this.state) return;
    this.state = state;
    if (state === 'down') this.downAt = performance.now();
    this.onChange(this, why);
  }
}

/** Whether an error is of the connection's beginning, before anything was sent. */
export function neverConnected(error: unknown): boolean {
  const { code, syscall, errors } = (error ?? {}) as Partial<NodeJS.ErrnoException> & { errors?: unknown[] };
  // Of a name with several addresses, each attempt has an error of its own.
  if (errors) return errors.length > 0 && errors.every(neverConnected);
  return code === 'UND_ERR_CONNECT_TIMEOUT' || syscall === 'connect' || syscall === 'getaddrinfo';
}

function reasonOf(error: unknown): string {
  const { code, message } = error as NodeJS.ErrnoException;
  return code ?? message;
}

// Sends requests in phases, in its own process, over kept connections and with as little CPU time as possible: it runs
// on the same two cores as the stack, and `ownCpu` is its share. A client library would take several times as much.
import { percentile } from '../statistics.ts';
import type { HttpRequest } from './job.ts';
import { LoadConnection, type Reply } from './load-connection.ts';
import { sliceMs, type OpenLoop, type Phase, type PhaseResult, type Slice } from './phases.ts';

const tickMs = 5;
/**
 * Fewer than a gateway accepts from one address. The addresses begin with 127.0.0.2: the benchmark itself keeps some
 * hundred connections from 127.0.0.1.
 */
const maxConnectionsPerAddress = 800;
/** A caller would not wait longer for a response. */
const timeoutMs = 10_000;
/** Nor longer for a free connection of its pool. */
const maxPoolWaitMs = 1000;
const sweepMs = 250;

/** One phase: what was due, and how it ended. */
class Phased {
  readonly good: { atMs: number; latencyMs: number }[] = [];
  readonly rejected: { atMs: number; latencyMs: number }[] = [];
  readonly failed: { atMs: number; reason: string }[] = [];
  readonly unsent: { atMs: number }[] = [];
  due = 0;
  cpu = 0;

  readonly phase: Phase;
  readonly beganAt = performance.now();
  readonly #expected: number;

  constructor(phase: Phase, expected: number) {
    this.phase = phase;
    this.#expected = expected;
  }

  /** All connections were busy for as long as a caller waits for one. */
  leaveUnsent(dueAt: number): void {
    this.unsent.push({ atMs: dueAt - this.beganAt });
  }

  end(dueAt: number, { status, retryAfter, failure }: Reply): void {
    const latencyMs = performance.now() - dueAt;
    const atMs = dueAt - this.beganAt;
    if (status === this.#expected) this.good.push({ atMs, latencyMs });
    else if ((status === 429 || status === 503) && retryAfter) this.rejected.push({ atMs, latencyMs });
    else this.failed.push({ atMs, reason: failure ?? `${status}${retryAfter ? '' : ' without Retry-After'}` });
  }

  get result(): PhaseResult {
    const { name, seconds } = this.phase;
    const reasons = new Map<string, number>();
    for (const { reason } of this.failed) reasons.set(reason, (reasons.get(reason) ?? 0) + 1);
    const latencies = sorted(this.good);
    return {
      name,
      seconds,
      due: this.due,
      unsent: this.unsent.length,
      good: this.good.length,
      rejected: this.rejected.length,
      failed: Object.fromEntries(reasons),
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
      rejectedP99: percentile(sorted(this.rejected), 0.99),
      slices: Array.from({ length: Math.ceil((seconds * 1000) / sliceMs) }, (_, index) => this.#slice(index * sliceMs)),
      ownCpu: this.cpu,
    };
  }

  #slice(fromMs: number): Slice {
    const within = ({ atMs }: { atMs: number }): boolean => atMs >= fromMs && atMs < fromMs + sliceMs;
    const latencies = sorted(this.good.filter(within));
    return {
      atMs: fromMs,
      good: latencies.length,
      rejected: this.rejected.filter(within).length,
      failed: this.failed.filter(within).length,
      unsent: this.unsent.filter(within).length,
      p50: percentile(latencies, 0.5),
      p99: percentile(latencies, 0.99),
    };
  }
}

function sorted(ended: { latencyMs: number }[]): Float64Array {
  return Float64Array.from(ended, ({ latencyMs }) => latencyMs).sort();
}

interface Due {
  phased: Phased;
  dueAt: number;
  then?: (() => void) | undefined;
}

/**
 * First in, first out. Array.shift() moves all further elements of an array of this length: at five times the peak it
 * took a third of a core, which the stack then lacked.
 */
class WaitingRequests {
  #requests: Due[] = [];
  #taken = 0;

  get first(): Due | undefined {
    return this.#requests[this.#taken];
  }

  add(due: Due): void {
    this.#requests.push(due);
  }

  removeFirst(): void {
    this.#taken += 1;
    if (this.#taken < 1000 || this.#taken * 2 < this.#requests.length) return;
    this.#requests = this.#requests.slice(this.#taken);
    this.#taken = 0;
  }
}

/** Sends the requests of all phases, as callers whose connection pools are limited. */
class Generator {
  /** The one that has been idle for longest first, so that none is idle until the server closes it. */
  readonly #idle = new Set<LoadConnection>();
  readonly #connections = new Set<LoadConnection>();
  /** Requests that are due while all connections are busy. */
  readonly #waiting = new WaitingRequests();
  #next = 0;
  #opened = 0;
  #unfinished = 0;
  readonly #job: OpenLoop;
  readonly #messages: Buffer[];

  constructor(job: OpenLoop) {
    this.#job = job;
    this.#messages = job.requests.map((request) => encode(new URL(job.url).host, request));
  }

  async run(): Promise<PhaseResult[]> {
    await this.#connectAll();
    const sweeping = setInterval(() => this.#sweep(), sweepMs);
    const results: Phased[] = [];
    for (const phase of this.#job.phases) {
      const before = process.cpuUsage();
      const phased = new Phased(phase, this.#job.expect);
      results.push(phased);
      await (phase.rate === undefined ? this.#closedLoop(phased) : this.#openLoop(phased, phase.rate));
      const { user, system } = process.cpuUsage(before);
      phased.cpu = user + system;
    }
    while (this.#unfinished > 0) await new Promise((resolve) => setTimeout(resolve, 20));
    clearInterval(sweeping);
    for (const connection of this.#connections) connection.destroy();
    return results.map(({ result }) => result);
  }

  /**
   * Opens the connections before the first phase, one after the other: Node accepts one connection in each turn of its
   * event loop, so hundreds of new ones at once would measure that instead of requests.
   */
  async #connectAll(): Promise<void> {
    while (this.#connections.size < this.#job.connections) {
      const connection = this.#connect()!;
      await connection.opened;
      if (!connection.isOpen) throw new Error(`${this.#job.url} accepts no connection.`);
      this.#idle.add(connection);
    }
  }

  #openLoop(phased: Phased, rate: number): Promise<void> {
    const total = Math.round(rate * phased.phase.seconds);
    return new Promise((resolve) => {
      const ticking = setInterval(() => {
        const due = Math.min(total, Math.floor(((performance.now() - phased.beganAt) / 1000) * rate));
        while (phased.due < due) this.#send({ phased, dueAt: phased.beganAt + (phased.due / rate) * 1000 });
        if (phased.due < total) return;
        clearInterval(ticking);
        resolve();
      }, tickMs);
    });
  }

  async #closedLoop(phased: Phased): Promise<void> {
    const endsAt = phased.beganAt + phased.phase.seconds * 1000;
    const one = async (): Promise<void> => {
      while (performance.now() < endsAt)
        await new Promise<void>((then) => this.#send({ phased, dueAt: performance.now(), then }));
    };
    await Promise.all(Array.from({ length: phased.phase.concurrency! }, one));
  }

  #send(due: Due): void {
    due.phased.due += 1;
    this.#unfinished += 1;
    const connection = this.#freeConnection();
    if (connection) this.#begin(connection, due);
    else this.#waiting.add(due);
  }

  #freeConnection(): LoadConnection | undefined {
    const [idle] = this.#idle;
    if (!idle) return this.#connect();
    this.#idle.delete(idle);
    return idle;
  }

  #begin(connection: LoadConnection, { phased, dueAt, then }: Due): void {
    connection.send(this.#messages[this.#next++ % this.#messages.length]!, (reply) => {
      this.#unfinished -= 1;
      phased.end(dueAt, reply);
      if (connection.isOpen) this.#idle.add(connection);
      else this.#connections.delete(connection);
      this.#sendWaiting();
      then?.();
    });
  }

  #sendWaiting(): void {
    this.#giveUpWaiting();
    const { first } = this.#waiting;
    const free = first && this.#freeConnection();
    if (!free) return;
    this.#waiting.removeFirst();
    this.#begin(free, first);
  }

  #connect(): LoadConnection | undefined {
    if (this.#connections.size >= this.#job.connections) return undefined;
    const addresses = Math.ceil(this.#job.connections / maxConnectionsPerAddress);
    const localAddress = `127.0.0.${2 + (this.#opened++ % addresses)}`;
    const connection = new LoadConnection(new URL(this.#job.url), localAddress, () => {
      this.#connections.delete(connection);
      this.#idle.delete(connection);
    });
    this.#connections.add(connection);
    return connection;
  }

  /** Ends what no caller would wait for any longer. */
  #sweep(): void {
    const before = performance.now() - timeoutMs;
    for (const connection of this.#connections) connection.expire(before);
    this.#giveUpWaiting();
  }

  #giveUpWaiting(): void {
    const before = performance.now() - maxPoolWaitMs;
    for (let { first } = this.#waiting; first && first.dueAt < before; { first } = this.#waiting) {
      this.#waiting.removeFirst();
      this.#unfinished -= 1;
      first.phased.leaveUnsent(first.dueAt);
      first.then?.();
    }
  }
}

function encode(host: string, { method, path, headers = {}, body = '' }: HttpRequest): Buffer {
  const lines = Object.entries({ host, ...headers, 'content-length': String(Buffer.byteLength(body)) });
  const head = lines
    .filter(([name]) => method === 'POST' || name !== 'content-length')
    .map(([name, value]) => `${name}: ${value}\r\n`);
  return Buffer.from(`${method} ${path} HTTP/1.1\r\n${head.join('')}\r\n${body}`);
}

process.on('message', ({ job }: { job: OpenLoop }) => {
  new Generator(job).run().then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.stack ?? error.message }),
  );
});
process.on('disconnect', () => process.exit());

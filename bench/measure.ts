import { setTimeout as sleep } from 'node:timers/promises';
import type { Stack } from './stack.ts';
import type { Job, Load, Result } from './workers/job.ts';
import { Worker } from './workers/worker.ts';

export interface Measured extends Result {
  /** Per second. */
  rate: number;
  /** CPU time per request, in µs, of each process that served it. */
  cpu: Record<string, number>;
  total: number;
}

/** The relay's confirmations and the consumers' last batch run after the last response, and belong to the requests. */
const settlingMs = 300;
/** By then the stack is idle. Its remaining work would be counted against the baseline that is measured next. */
const restMs = 2200;

/** Reads the CPU time so far of the processes of a baseline, in µs. */
export type CpuReader = () => Promise<Map<string, number>>;

/** The processes that generate load, and the stock provider. */
export class Bench {
  readonly #http = new Worker('./http.ts');
  readonly #sql = new Worker('./sql.ts');
  readonly #signIn = new Worker('./sign-in.ts');
  readonly #stock: Worker;
  readonly #stack: Stack;
  readonly #baselines = new Map<string, CpuReader>();
  stockUrl = '';

  constructor(stack: Stack) {
    this.#stack = stack;
    const { clientId, clientSecret, scopes } = stack.shop;
    this.#stock = new Worker('./stock-provider.ts', [scopes.join(' '), clientId, clientSecret]);
  }

  async ready(): Promise<void> {
    const { port } = (await this.#stock.nextMessage()) as { port: number };
    this.stockUrl = `http://127.0.0.1:${port}`;
    this.addBaseline(this.stockUrl, async () => new Map([['stock', this.#stock.cpu()]]));
  }

  /** Requests to this URL are served by the processes that `cpu` reads, instead of the stack. */
  addBaseline(url: string, cpu: CpuReader): void {
    this.#baselines.set(url, cpu);
  }

  /** Puts load on the stack or on a baseline, and measures the CPU time of the processes that serve it. */
  async measure(job: Job, load: Load): Promise<Measured> {
    const before = await this.#cpu(job);
    const result = await this.#workerOf(job).run(job, load);
    await sleep(settlingMs);
    const after = await this.#cpu(job);
    await sleep(restMs);
    const requests = Math.max(1, result.requests + result.failures);
    const cpu = Object.fromEntries(
      [...after].map(([name, micros]) => [name, (micros - (before.get(name) ?? 0)) / requests]),
    );
    const total = Object.values(cpu).reduce((sum, micros) => sum + micros, 0);
    return { ...result, rate: result.requests / result.seconds, cpu, total };
  }

  #workerOf({ kind }: Job): Worker {
    if (kind === 'sql') return this.#sql;
    return kind === 'http' ? this.#http : this.#signIn;
  }

  async #cpu(job: Job): Promise<Map<string, number>> {
    const baseline = job.kind === 'http' ? this.#baselines.get(job.url) : undefined;
    if (baseline) return baseline();
    const stack = await this.#stack.cpu();
    if (job.kind !== 'sql') return stack;
    return new Map([
      ['client', this.#sql.cpu()],
      ['postgres', stack.get('postgres') ?? 0],
    ]);
  }

  end(): void {
    for (const worker of [this.#http, this.#sql, this.#signIn, this.#stock]) worker.end();
  }
}

import { readFileSync } from 'node:fs';
import { metric } from './metrics.ts';
import { allStats, rssOfTree } from './processes.ts';
import type { Stack } from './stack.ts';
import { median } from './statistics.ts';

interface Sample {
  /** Since the first one. */
  seconds: number;
  /** In bytes, by process. */
  rss: Map<string, number>;
  /** Of the services of Node.js. */
  heap: Map<string, number>;
}

/** Medians, in bytes: one sample may be just before a garbage collection. */
interface Course {
  before: number;
  firstHalf: number;
  secondHalf: number;
  after: number;
}

export interface MemoryUse {
  rss: Course;
  heap?: Course;
}

/** Reading all metrics of all services takes 20 ms of CPU time. */
const intervalMs = 2500;

/** Samples the memory of each process of a stack. */
export class MemorySamples {
  readonly #stack: Stack;
  readonly #samples: Sample[] = [];
  readonly #startedAt = performance.now();
  readonly #timer: NodeJS.Timeout;

  constructor(stack: Stack) {
    this.#stack = stack;
    const take = (): void => void this.#take().catch(() => undefined);
    this.#timer = setInterval(take, intervalMs);
    take();
  }

  async #take(): Promise<void> {
    const seconds = (performance.now() - this.#startedAt) / 1000;
    const members = await this.#stack.members();
    const stats = allStats();
    const rss = new Map(members.map(({ name, pid }) => [name, rssOfTree(pid, stats)]));
    const heap = new Map<string, number>();
    this.#samples.push({ seconds, rss, heap });
    for (const { name, pid } of members) {
      const port = opsPortOf(pid);
      if (port === undefined) continue;
      const metrics = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
      heap.set(name, metric(metrics, 'nodejs_heap_size_used_bytes'));
    }
  }

  /** @param from start of the overload, in seconds since the first sample; `until` its end */
  end(from: number, until: number): Map<string, MemoryUse> {
    clearInterval(this.#timer);
    const middle = (from + until) / 2;
    const courseOf = (name: string, kind: 'rss' | 'heap'): Course => {
      const within = (start: number, end: number): number =>
        median(
          this.#samples
            .filter((sample) => sample.seconds >= start && sample.seconds < end)
            .flatMap((sample) => sample[kind].get(name) ?? []),
        );
      return {
        before: within(0, from),
        firstHalf: within(from, middle),
        secondHalf: within(middle, until),
        after: within(until, Infinity),
      };
    };
    const [first] = this.#samples;
    return new Map(
      [...(first?.rss.keys() ?? [])].map((name) => [
        name,
        { rss: courseOf(name, 'rss'), ...(first!.heap.has(name) && { heap: courseOf(name, 'heap') }) },
      ]),
    );
  }
}

/** The port of a service's metrics. */
function opsPortOf(pid: number): string | undefined {
  return /(?:^|\0)OPS_PORT=(\d+)/.exec(readFileSync(`/proc/${pid}/environ`, 'utf8'))?.[1];
}

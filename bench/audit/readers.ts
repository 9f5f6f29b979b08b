import { setTimeout as sleep } from 'node:timers/promises';
import type { NatsConnection } from '@nats-io/transport-node';
import { appendOne, connectAs } from '../log-load.ts';
import type { Stack } from '../stack.ts';
import { median, percentile } from '../statistics.ts';
import { figure, table } from '../table.ts';
import { Auditor, org } from './auditor.ts';

const readerCounts = [0, 1, 20];
/** Appends with a pause in between, as on a log that is used little. */
const appendPauseMs = 20;
const warmUpSeconds = 5;

interface Measured {
  readers: number;
  /** From the request to its reply, in ms. */
  append: { p50: number; p99: number };
  /** From the request of the append until a reader's socket has the entry, in ms; it contains the append. */
  arrival?: { p50: number; p99: number; max: number };
}

export interface MeasuredReaders {
  rounds: Measured[][];
}

/** What live readers of a log add to an append, and how late they get an entry. The numbers of readers alternate. */
export async function measureReaders(
  stack: Stack,
  { rounds, seconds }: { rounds: number; seconds: number },
  print: (text: string) => void,
): Promise<MeasuredReaders> {
  const auditor = await Auditor.create(stack, 'audit:read');
  const gateway = await connectAs(stack, 'gateway');
  const measured: Measured[][] = [];
  await appendFor(gateway, [], warmUpSeconds);
  for (let round = 1; round <= rounds; round += 1) {
    print(`Appending with ${readerCounts.join(', ')} readers of the log, round ${round} of ${rounds} ...`);
    const results: Measured[] = [];
    for (const readers of readerCounts) {
      const open = await Promise.all(Array.from({ length: readers }, () => Reader.open(auditor)));
      await appendFor(gateway, open, 1);
      results.push({ readers, ...(await appendFor(gateway, open, seconds)) });
      for (const reader of open) reader.close();
      await sleep(500);
    }
    measured.push(results);
  }
  await gateway.close();
  return { rounds: measured };
}

/** Appends one record after the other for some time, and waits until all readers have them. */
async function appendFor(gateway: NatsConnection, readers: readonly Reader[], seconds: number) {
  const endsAt = performance.now() + seconds * 1000;
  /** When the append of each record began. */
  const begun = new Map<string, number>();
  const latencies: number[] = [];
  while (performance.now() < endsAt) {
    const at = performance.now();
    begun.set(await appendOne(gateway, org), at);
    latencies.push(performance.now() - at);
    await sleep(appendPauseMs);
  }
  const last = [...begun.keys()].at(-1)!;
  for (const giveUpAt = performance.now() + 30_000; readers.some((reader) => !reader.arrivals.has(last));) {
    if (performance.now() > giveUpAt) throw new Error('A reader has not got the last entry of the log after 30 s.');
    await sleep(20);
  }
  const arrivals = readers
    .flatMap(({ arrivals: at }) => [...begun].map(([id, began]) => at.get(id)! - began))
    .toSorted((a, b) => a - b);
  const sorted = latencies.toSorted((a, b) => a - b);
  return {
    append: { p50: percentile(sorted, 0.5), p99: percentile(sorted, 0.99) },
    ...(readers.length > 0 && {
      arrival: { p50: percentile(arrivals, 0.5), p99: percentile(arrivals, 0.99), max: arrivals.at(-1)! },
    }),
  };
}

/** A reader of the stream of the log (docs/audit-stream.md) that notes when each entry arrives. */
class Reader {
  /** In performance.now(), by id. */
  readonly arrivals = new Map<string, number>();
  readonly #stopping = new AbortController();

  static async open(auditor: Auditor): Promise<Reader> {
    const reader = new Reader();
    const { body } = await auditor.fetch('stream', { signal: reader.#stopping.signal });
    void reader.#read(body!).catch(() => undefined);
    return reader;
  }

  close(): void {
    this.#stopping.abort();
  }

  async #read(body: ReadableStream<Uint8Array>): Promise<void> {
    let text = '';
    for await (const chunk of body) {
      const now = performance.now();
      const frames = (text + Buffer.from(chunk).toString('latin1')).split('\n\n');
      text = frames.pop()!;
      for (const frame of frames) {
        const id = /^data: \{"id":"([^"]+)"/m.exec(frame)?.[1];
        if (id !== undefined) this.arrivals.set(id, now);
      }
    }
  }
}

export function readersTable({ rounds }: MeasuredReaders): string {
  const head = ['readers', 'append p50 ms', 'p99 ms', 'p50 ÷ none', 'arrival p50 ms', 'p99 ms', 'max ms'];
  const rows = readerCounts.map((readers, i) => {
    const of = (value: (measured: Measured) => number): string =>
      figure(median(rounds.map((round) => value(round[i]!))));
    const ratio = figure(median(rounds.map((round) => round[i]!.append.p50 / round[0]!.append.p50)));
    const append = [of((m) => m.append.p50), of((m) => m.append.p99), ratio];
    const arrival = (['p50', 'p99', 'max'] as const).map((name) => of((m) => m.arrival?.[name] ?? Number.NaN));
    return [String(readers), ...append, ...arrival];
  });
  return table(head, rows);
}

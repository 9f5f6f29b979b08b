// Sends requests without waiting for responses, in its own process, with undici over kept connections and without
// reading bodies. It runs on the same cores as the stack; `ownCpu` is its share.
import { Pool } from 'undici';
import { percentile } from '../statistics.ts';
import type { HttpRequest } from './job.ts';

export interface OpenLoop {
  url: string;
  requests: HttpRequest[];
  expect: number;
  /** Requests per second, for `seconds`. */
  rate: number;
  seconds: number;
  connections: number;
}

export interface OpenLoopResult {
  sent: number;
  good: number;
  /** Responses with 429 and 503. */
  rejected: number;
  /** Other responses, and requests without a response. */
  failed: number;
  /** Latency of good responses from the moment when the request was due, in ms. */
  p50: number;
  p99: number;
  /** Until the last response, in s. */
  seconds: number;
  /** CPU time of this process, in µs. */
  ownCpu: number;
}

const tickMs = 5;
/** A caller would not wait longer. */
const timeoutMs = 10_000;

async function load({ url, requests, expect, rate, seconds, connections }: OpenLoop): Promise<OpenLoopResult> {
  const pool = new Pool(new URL(url).origin, {
    connections,
    pipelining: 1,
    headersTimeout: timeoutMs,
    bodyTimeout: timeoutMs,
  });
  const latencies: number[] = [];
  const seen = { sent: 0, good: 0, rejected: 0, failed: 0, finished: 0 };
  const before = process.cpuUsage();
  const began = performance.now();
  let ended = began;

  const send = (dueAt: number): void => {
    const { method, path, headers = {}, body = null } = requests[seen.sent % requests.length]!;
    seen.sent += 1;
    let status = 0;
    const finish = (): void => {
      ended = performance.now();
      seen.finished += 1;
      if (status === expect) {
        seen.good += 1;
        latencies.push(ended - dueAt);
      } else if (status === 429 || status === 503) seen.rejected += 1;
      else seen.failed += 1;
    };
    pool.dispatch(
      { method, path, headers, body },
      {
        onRequestStart: () => undefined,
        onResponseStart: (_controller, code) => void (status = code),
        onResponseData: () => undefined,
        onResponseEnd: finish,
        onResponseError: () => {
          status = 0;
          finish();
        },
      },
    );
  };

  const total = Math.round(rate * seconds);
  await new Promise<void>((resolve) => {
    const ticking = setInterval(() => {
      const due = Math.min(total, Math.floor(((performance.now() - began) / 1000) * rate));
      while (seen.sent < due) send(began + (seen.sent / rate) * 1000);
      if (seen.sent < total) return;
      clearInterval(ticking);
      resolve();
    }, tickMs);
  });
  const endsAt = performance.now() + timeoutMs;
  while (seen.finished < seen.sent && performance.now() < endsAt)
    await new Promise((resolve) => setTimeout(resolve, 20));
  seen.failed += seen.sent - seen.finished;
  const { user, system } = process.cpuUsage(before);
  await pool.destroy();
  const sorted = Float64Array.from(latencies).sort();
  return {
    sent: seen.sent,
    good: seen.good,
    rejected: seen.rejected,
    failed: seen.failed,
    p50: percentile(sorted, 0.5),
    p99: percentile(sorted, 0.99),
    seconds: (ended - began) / 1000,
    ownCpu: user + system,
  };
}

process.on('message', ({ job }: { job: OpenLoop }) => {
  load(job).then(
    (result) => process.send?.({ result }),
    (error: Error) => process.send?.({ error: error.stack ?? error.message }),
  );
});
process.on('disconnect', () => process.exit());

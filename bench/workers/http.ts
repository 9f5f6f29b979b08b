// Generates load over HTTP in its own process, so that its CPU time is measured apart from the stack's.
import autocannon from 'autocannon';
import type { HttpJob } from './job.ts';
import { serveJobs } from './serve-jobs.ts';

serveJobs<HttpJob>(async ({ url, requests, expect }, { concurrency, seconds }) => {
  const latencies: number[] = [];
  let failures = 0;
  const began = performance.now();
  let ended = began;
  await new Promise<void>((resolve, reject) => {
    const run = autocannon({ url, requests, connections: concurrency, duration: seconds, timeout: 10 }, (error) =>
      error ? reject(error) : resolve(),
    );
    run.on('response', (_client, status, _bytes, milliseconds) => {
      ended = performance.now();
      if (status === expect) latencies.push(milliseconds);
      else failures += 1;
    });
    run.on('reqError', () => (failures += 1));
  });
  return { latencies, failures, seconds: (ended - began) / 1000 };
});

import { percentile } from '../statistics.ts';
import type { Load, Result } from './job.ts';

export interface Measurements {
  /** Of expected responses, in ms. */
  latencies: number[];
  failures: number;
  seconds: number;
}

/** Main loop of a worker process: receives jobs over IPC and sends their results. */
export function serveJobs<Job>(work: (job: Job, load: Load) => Promise<Measurements>): void {
  process.on('message', ({ job, load }: { job: Job; load: Load }) => {
    const before = process.cpuUsage();
    work(job, load).then(
      ({ latencies, failures, seconds }) => {
        const { user, system } = process.cpuUsage(before);
        const sorted = Float64Array.from(latencies).sort();
        const result: Result = {
          requests: latencies.length,
          failures,
          seconds,
          p50: percentile(sorted, 0.5),
          p99: percentile(sorted, 0.99),
          ownCpu: user + system,
        };
        process.send?.({ result });
      },
      (error: Error) => process.send?.({ error: error.stack ?? error.message }),
    );
  });
  process.on('disconnect', () => process.exit());
}

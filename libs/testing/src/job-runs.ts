import { eventually } from './eventually.js';

/**
 * Resolves when a periodic job of a process has run `runs` times more, with success or not. A test that expects a job to
 * do nothing waits for runs instead of a time, in which a busy machine may run it not at all.
 */
export async function moreJobRuns(opsPort: number, job: string, runs: number): Promise<void> {
  const before = await jobRuns(opsPort, job);
  await eventually(async () => (await jobRuns(opsPort, job)) >= before + runs, 30_000);
}

async function jobRuns(opsPort: number, job: string): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const samples = metrics.matchAll(new RegExp(`^holdfast_job_runs_total\\{[^}]*job="${job}"[^}]*\\} (\\d+)$`, 'gm'));
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

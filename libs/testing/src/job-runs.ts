import { eventually } from './eventually.js';

type Outcome = 'succeeded' | 'failed';

/**
 * Resolves when a periodic job of a process has run `runs` times more, with this outcome or with any. A test that
 * expects a job to do nothing waits for runs instead of a time, in which a busy machine may run it not at all.
 */
export async function moreJobRuns(opsPort: number, job: string, runs: number, outcome?: Outcome): Promise<void> {
  const before = await jobRuns(opsPort, job, outcome);
  await eventually(async () => (await jobRuns(opsPort, job, outcome)) >= before + runs);
}

async function jobRuns(opsPort: number, job: string, outcome?: Outcome): Promise<number> {
  const metrics = await (await fetch(`http://127.0.0.1:${opsPort}/metrics`)).text();
  const labels = `job="${job}",outcome="${outcome ?? '[a-z]+'}"`;
  const samples = metrics.matchAll(new RegExp(`^holdfast_job_runs_total\\{[^}]*${labels}[^}]*\\} (\\d+)$`, 'gm'));
  return [...samples].reduce((sum, [, count]) => sum + Number(count), 0);
}

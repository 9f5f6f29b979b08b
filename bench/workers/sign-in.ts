// Generates whole sign-ins of a browser with a passkey and the app behind it, in its own process. The first load
// creates the customers or people, so it has to be the warm-up.
import type { SignInJob } from './job.ts';
import { serveJobs } from './serve-jobs.ts';
import { newCustomer, newPerson, signIn, type Subject } from './sign-in-steps.ts';

/** Of each app. Each of them has at most one sign-in at a time. */
const subjects = new Map<string, Subject[]>();

serveJobs<SignInJob>(async (job, { concurrency, seconds }) => {
  const known = subjects.get(job.clientId) ?? [];
  subjects.set(job.clientId, known);
  while (known.length < concurrency)
    known.push(await (job.invitations ? newPerson(job, job.invitations[known.length]!) : newCustomer(job)));
  const latencies: number[] = [];
  let failures = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const loop = async (subject: Subject): Promise<void> => {
    for (let now = performance.now(); now < until; now = performance.now()) {
      await signIn(job, subject).then(
        () => latencies.push(performance.now() - now),
        (error: Error) => void (failures++ || process.stderr.write(`${error.message}\n`)),
      );
    }
  };
  await Promise.all(known.slice(0, concurrency).map(loop));
  return { latencies, failures, seconds: (performance.now() - began) / 1000 };
});

// Generates whole sign-ins of a browser with a passkey and the app behind it, in its own process. The first load
// creates the customers, so it has to be the warm-up.
import type { SignInJob } from './job.ts';
import { serveJobs } from './serve-jobs.ts';
import { newCustomer, signIn, type Customer } from './sign-in-steps.ts';

/** Each of them has at most one sign-in at a time. */
const customers: Customer[] = [];

serveJobs<SignInJob>(async (job, { concurrency, seconds }) => {
  while (customers.length < concurrency) customers.push(await newCustomer(job));
  const latencies: number[] = [];
  let failures = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const loop = async (customer: Customer): Promise<void> => {
    for (let now = performance.now(); now < until; now = performance.now()) {
      await signIn(job, customer).then(
        () => latencies.push(performance.now() - now),
        (error: Error) => void (failures++ || process.stderr.write(`${error.message}\n`)),
      );
    }
  };
  await Promise.all(customers.slice(0, concurrency).map(loop));
  return { latencies, failures, seconds: (performance.now() - began) / 1000 };
});

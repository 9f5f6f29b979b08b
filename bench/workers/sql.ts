// Generates load on the database alone: one prepared statement, with the pool and concurrency of a service.
import pg from 'pg';
import { statements } from '../statements.ts';
import type { SqlJob } from './job.ts';
import { serveJobs } from './serve-jobs.ts';

/**
 * As DATABASE_POOL of the services. Plans are generic and use indexes, as theirs do: planning each list would slow the
 * baseline.
 */
const poolSize = 12;

const pools = new Map<string, pg.Pool>();

serveJobs<SqlJob>(async ({ url, statement, args }, { concurrency, seconds }) => {
  const { text, values } = statements[statement]!;
  const pool =
    pools.get(url) ??
    new pg.Pool({
      connectionString: url,
      max: poolSize,
      options: '-c plan_cache_mode=force_generic_plan -c enable_seqscan=off -c enable_hashjoin=off -c jit=off',
    });
  pools.set(url, pool);
  const latencies: number[] = [];
  let failures = 0;
  const began = performance.now();
  const until = began + seconds * 1000;
  const loop = async (): Promise<void> => {
    for (let now = performance.now(); now < until; now = performance.now()) {
      await pool.query({ name: statement, text, values: values(args as never) }).then(
        () => latencies.push(performance.now() - now),
        (error: Error) => void (failures++ || process.stderr.write(`${error.message}\n`)),
      );
    }
  };
  await Promise.all(Array.from({ length: concurrency }, loop));
  return { latencies, failures, seconds: (performance.now() - began) / 1000 };
});

import type { Pool } from 'pg';
import { makeCases } from '../cases.ts';
import type { Bench } from '../measure.ts';
import { seedIssuance, seedSubjects } from '../seed.ts';
import type { Stack } from '../stack.ts';
import { warmUp } from '../warm-up.ts';
import { mediansOf, type Lot, type Point } from './lot.ts';

const sizes = [1000, 10_000, 100_000, 1_000_000];
const concurrency = 16;
const measured = ['get', 'list', 'deep-list', 'offer'];

/**
 * What requests cost while the number of customers grows: those of the app that lists them, in the read model and in
 * issuance. Those of earlier sizes remain.
 */
export async function growCustomers(
  stack: Stack,
  pool: Pool,
  bench: Bench,
  { rounds, seconds, largest }: { rounds: number; seconds: number; largest: number },
  print: (text: string) => void,
): Promise<Lot> {
  const points: Point[] = [];
  for (const size of sizes.filter((each) => each <= largest)) {
    print(`Seeding ${size} customers in the read model and in issuance ...`);
    const reader = await seedSubjects(stack, pool, size);
    await seedIssuance(pool, reader.clientId);
    const load = { concurrency, seconds };
    const cases = async () =>
      (await makeCases(stack, reader, pool, bench.stockUrl, size)).filter(({ name }) => measured.includes(name));
    for (const { stack: job } of await cases()) await warmUp(async () => (await bench.measure(job, load)).total);
    const figures: Point['figures'][] = [];
    for (let round = 1; round <= rounds; round += 1) {
      print(`Round ${round} of ${rounds} at ${size} customers ...`);
      const ofRound: Point['figures'] = {};
      for (const { name, stack: job } of await cases()) {
        const before = await walBytes(pool);
        const { total, requests, failures } = await bench.measure(job, load);
        if (failures > 0) throw new Error(`${failures} requests of ${name} failed at ${size} customers`);
        ofRound[`${name} CPU µs`] = total;
        if (name === 'offer') ofRound['offer WAL kB'] = ((await walBytes(pool)) - before) / 1000 / requests;
      }
      figures.push(ofRound);
    }
    points.push({ size, figures: mediansOf(figures) });
  }
  return { name: 'customers', points };
}

/** Of write-ahead log so far. */
async function walBytes(pool: Pool): Promise<number> {
  const { rows } = await pool.query<{ bytes: string }>(`SELECT pg_current_wal_insert_lsn() - '0/0'::pg_lsn AS bytes`);
  return Number(rows[0]!.bytes);
}

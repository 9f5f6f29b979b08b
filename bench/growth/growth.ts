import type { Pool } from 'pg';
import type { Bench } from '../measure.ts';
import type { Options } from '../options.ts';
import type { Stack } from '../stack.ts';
import { growCustomers } from './customers.ts';
import { growLog } from './log.ts';
import type { Lot } from './lot.ts';
import { growOrganizations } from './organizations.ts';

/** In the order in which they are measured: the log would contain the records of the customers' requests. */
const lots = ['growth-organizations', 'growth-log', 'growth-customers'] as const;

/** The lots that `--only` names; none are part of all cases, since they take long and fill the database. */
export function growthLots(only: readonly string[]): string[] {
  return lots.filter((name) => only.includes('growth') || only.includes(name));
}

export function isGrowth(name: string): boolean {
  return name === 'growth' || (lots as readonly string[]).includes(name);
}

export async function measureGrowth(
  names: readonly string[],
  { stack, pool, bench }: { stack: Stack; pool: Pool; bench: Bench },
  options: Options,
  print: (text: string) => void,
): Promise<Lot[]> {
  const measured: Lot[] = [];
  for (const name of names) {
    if (name === 'growth-organizations') measured.push(await growOrganizations(stack, pool, options, print));
    if (name === 'growth-log') measured.push(await growLog(stack, pool, bench, options, print));
    if (name === 'growth-customers') measured.push(await growCustomers(stack, pool, bench, options, print));
  }
  return measured;
}

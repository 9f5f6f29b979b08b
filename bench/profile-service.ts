import type { Case } from './cases.ts';
import type { Bench } from './measure.ts';
import { summarize } from './profile-summary.ts';
import { profileWhile } from './profile.ts';
import type { Stack } from './stack.ts';
import { figure, table } from './table.ts';

const load = { concurrency: 16, seconds: 5 };

/** Prints where a service spends its time under the load of each case. */
export async function profileService(
  service: string,
  { stack, bench, cases }: { stack: Stack; bench: Bench; cases: readonly Case[] },
  print: (text: string) => void,
): Promise<void> {
  const { pid } = (await stack.members()).find((m) => m.name === service)!;
  for (const { name, stack: job } of cases) {
    await bench.measure(job, load);
    const { packages, functions, busy } = summarize(await profileWhile(pid, () => bench.measure(job, load)));
    const rows = (times: typeof packages, maxRows: number): string[][] =>
      times.slice(0, maxRows).map((t) => [t.name, `${figure(t.share * 100)} %`]);
    print(`\n${service} under ${name}: busy ${figure(busy * 100)} % of the time\n`);
    print(`${table(['package', 'self time'], rows(packages, 25))}\n`);
    print(table(['function', 'self time'], rows(functions, 40)));
  }
}

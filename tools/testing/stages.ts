/** How long each stage may take, in minutes. */
export const budgets = { 'build and lint': 4, unit: 2, integration: 8, e2e: 15 } as const;

export type Stage = Exclude<keyof typeof budgets, 'build and lint'>;

export const stages: Stage[] = ['unit', 'integration', 'e2e'];

export interface Result {
  passed: number;
  failed: number;
  durationMs: number;
}

/** Names before `--` select stages, all by default. Arguments after it are passed to jest. */
export function parseTestArgs(args: string[]): { selected: Stage[]; jestArgs: string[] } {
  const end = args.includes('--') ? args.indexOf('--') : args.length;
  const named = args.slice(0, end);
  const wrong = named.find((name) => !(stages as string[]).includes(name));
  if (wrong !== undefined)
    throw new Error(
      `There is no stage ${wrong}. The stages are ${stages.join(', ')}; arguments for jest follow after "--".`,
    );
  return {
    selected: named.length > 0 ? stages.filter((stage) => named.includes(stage)) : stages,
    jestArgs: args.slice(end + 1),
  };
}

export interface JestReport {
  numPassedTests: number;
  numFailedTests: number;
  /** Files that failed to load; jest counts none of their tests. */
  numRuntimeErrorTestSuites: number;
  testResults?: { name: string; status: string; startTime: number; endTime: number }[];
}

/** A stage without a report, or whose jest failed without a failed test, counts as one failure. */
export function countTests(report: JestReport | undefined, status: number): { passed: number; failed: number } {
  if (!report) return { passed: 0, failed: 1 };
  const failed = report.numFailedTests + report.numRuntimeErrorTestSuites;
  return { passed: report.numPassedTests, failed: failed === 0 && status !== 0 ? 1 : failed };
}

export function sumOf(counts: { passed: number; failed: number }[]): { passed: number; failed: number } {
  return {
    passed: counts.reduce((sum, { passed }) => sum + passed, 0),
    failed: counts.reduce((sum, { failed }) => sum + failed, 0),
  };
}

/** The slowest files, one per line: the first candidates when a stage exceeds its budget. */
export function slowest(report: JestReport | undefined, count = 10): string {
  const files = (report?.testResults ?? []).map(({ name, startTime, endTime }) => ({
    name,
    seconds: (endTime - startTime) / 1000,
  }));
  const first = files.sort((a, b) => b.seconds - a.seconds).slice(0, count);
  return first.map(({ name, seconds }) => `${seconds.toFixed(0).padStart(6)} s  ${name}`).join('\n');
}

export function table(results: Map<keyof typeof budgets, Result>): string {
  const rows = [...results].map(([stage, { passed, failed, durationMs }]) => {
    const over = durationMs > budgets[stage] * 60_000 ? '  over its budget' : '';
    const tests = stage === 'build and lint' ? '' : `${passed} passed, ${failed} failed`;
    const duration = `${(durationMs / 1000).toFixed(0).padStart(5)} s of ${budgets[stage] * 60} s`;
    return `${stage.padEnd(16)}${tests.padEnd(26)}${duration}${over}`;
  });
  return rows.join('\n');
}

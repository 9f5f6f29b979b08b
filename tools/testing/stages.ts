/** How long each stage may take, in minutes. Unit tests run beside those of the whole stack. */
export const budgets = { build: 3, unit: 20, integration: 10, e2e: 18 } as const;

export type Stage = Exclude<keyof typeof budgets, 'build'>;

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
  testResults?: FileReport[];
}

interface FileReport {
  name: string;
  status: string;
  startTime: number;
  endTime: number;
  assertionResults?: { status: string }[];
}

/** The most files that run again after a failure. More failures than these have a cause of their own. */
const maxRepeated = 3;

/**
 * The failed files that shall run again, alone: a test of real servers can fail because of what runs beside it. A unit
 * test cannot, and a failure that has a cause fails again.
 */
export function filesToRepeat(stage: Stage, report: JestReport | undefined): string[] {
  const failed = failedFiles(report).map(({ name }) => name);
  return stage !== 'unit' && failed.length <= maxRepeated ? failed : [];
}

/** The counts of a run whose failed files ran again: of these files the second result counts. */
export function countsAfterRepeat(
  first: { passed: number; failed: number },
  report: JestReport | undefined,
  again: { passed: number; failed: number },
): { passed: number; failed: number } {
  const countedTwice = failedFiles(report).flatMap(({ assertionResults = [] }) =>
    assertionResults.filter(({ status }) => status === 'passed'),
  ).length;
  return { passed: first.passed - countedTwice + again.passed, failed: again.failed };
}

const failedFiles = (report: JestReport | undefined): FileReport[] =>
  (report?.testResults ?? []).filter(({ status }) => status === 'failed');

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
    const tests = stage === 'build' ? '' : `${passed} passed, ${failed} failed`;
    const duration = `${(durationMs / 1000).toFixed(0).padStart(5)} s of ${budgets[stage] * 60} s`;
    return `${stage.padEnd(16)}${tests.padEnd(26)}${duration}${over}`;
  });
  return rows.join('\n');
}

import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { JestReport } from './stages.ts';

const maxLines = 20;

/**
 * The responses with a 5xx status that a stack's services logged while failing test files ran, the last ones of each
 * file: a test often sees only that a library failed, and the stack's logs are deleted with it.
 */
export function serverErrors(report: JestReport | undefined, logFolder: string): string {
  const failed = (report?.testResults ?? []).filter(({ status }) => status === 'failed');
  if (failed.length === 0 || !existsSync(logFolder)) return '';
  const lines = readdirSync(logFolder)
    .filter((name) => name.endsWith('.log'))
    .flatMap((name) => readFileSync(join(logFolder, name), 'utf8').split('\n'))
    .filter((line) => /"status":5\d\d/.test(line))
    .map((line) => ({ line, at: Date.parse(/"time":"([^"]*)"/.exec(line)?.[1] ?? '') }))
    .sort((a, b) => a.at - b.at);
  return failed
    .map(({ name, startTime, endTime }) => {
      const during = lines.filter(({ at }) => at >= startTime && at <= endTime).map(({ line }) => line);
      return [`Responses with a 5xx status during ${name}:`, ...during.slice(-maxLines)].join('\n');
    })
    .join('\n');
}

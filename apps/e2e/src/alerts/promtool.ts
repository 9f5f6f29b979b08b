import { execFile } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { promisify } from 'node:util';
import { programPath } from '../stack/config.ts';
import { scrapeIntervalSeconds, type Recording } from './recording.ts';

/** Undefined when there is none: Debian's package prometheus has it. */
export const promtool = programPath('promtool');

/** An alert with its labels. */
export type Alert = Record<string, string> & { alertname: string };

/**
 * What an expression over ALERTS is at the end of a recording, with the real rules. promtool only compares, so it is
 * made to expect nothing, and its message says what it found.
 */
async function evaluate(recording: Recording, expr: string, file: string): Promise<Alert[]> {
  // JSON is YAML.
  writeFileSync(file, JSON.stringify(recording.testOf(expr)));
  try {
    await promisify(execFile)(promtool!, ['test', 'rules', file], { maxBuffer: 2 ** 24 });
    return [];
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string };
    const found = /^\s+got:(.*)$/m.exec(stdout + stderr)?.[1];
    if (found === undefined)
      throw new Error(`promtool could not evaluate the recording: ${stdout}${stderr}`, { cause: error });
    return [...found.matchAll(/\{((?:\w+="(?:[^"\\]|\\.)*"(?:, )?)+)\}/g)].map(
      ([, labels]) =>
        Object.fromEntries(
          [...labels!.matchAll(/(\w+)="((?:[^"\\]|\\.)*)"/g)].map(([, name, value]) => [name!, value!]),
        ) as Alert,
    );
  }
}

export function firingAlerts(recording: Recording, file: string): Promise<Alert[]> {
  return evaluate(recording, 'ALERTS{alertstate="firing"}', file);
}

/** All that have fired, if only for a moment, since so many scrapes were recorded. */
export function firedAlerts(recording: Recording, since: number, file: string): Promise<Alert[]> {
  const seconds = Math.max(1, recording.scrapes - since) * scrapeIntervalSeconds;
  return evaluate(recording, `count_over_time(ALERTS{alertstate="firing"}[${seconds}s])`, file);
}

import { isAbsolute, relative } from 'node:path';

/** Prints a line to stdout. */
export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Prints a line to stderr. */
export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** An error whose message is a complete sentence for the user and is printed without its stack. */
export class ReportedError extends Error {}

export function secondsSince(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

/** A path relative to the working directory, if it is below it. */
export function displayPath(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

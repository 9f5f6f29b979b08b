import { isAbsolute, relative } from 'node:path';

/** One line for the person at the console. */
export function say(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** One line that asks for attention. */
export function warn(text: string): void {
  process.stderr.write(`${text}\n`);
}

/** An error whose message is a whole sentence for the person at the console; its stack helps nobody. */
export class ReportedError extends Error {}

export function seconds(since: number): string {
  return `${((Date.now() - since) / 1000).toFixed(1)} s`;
}

/** A path as the reader would type it. */
export function shown(path: string): string {
  const near = relative(process.cwd(), path);
  return near.startsWith('..') || isAbsolute(near) ? path : near;
}

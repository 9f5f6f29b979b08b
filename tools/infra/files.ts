import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** A reader sees the old file or the new one, never half of one; and nobody but the owner sees either. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** Undefined when the file is not there or does not hold JSON. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

import { readFileSync, renameSync, writeFileSync } from 'node:fs';

/** Replaces a file in one step, so that no reader sees half of it. Only its owner can read it. */
export function writeWhole(path: string, text: string): void {
  const draft = `${path}.${process.pid}.new`;
  writeFileSync(draft, text, { mode: 0o600 });
  renameSync(draft, path);
}

/** Undefined when the file does not exist or is not JSON. */
export function readJson<T>(path: string): T | undefined {
  try {
    return JSON.parse(readFileSync(path, 'utf8')) as T;
  } catch {
    return undefined;
  }
}

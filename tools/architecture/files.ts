import { readdirSync, readFileSync } from 'node:fs';
import { join, relative, sep } from 'node:path';
import { root } from '../setup/paths.mjs';

/** Made by tools, so none of our writing. */
const foreign = new Set(['.git', '.nx', '.holdfast', 'node_modules', 'dist', 'coverage', '__pycache__', '.mypy_cache']);
const generated = new Set([
  'libs/api-client/src/schema.ts',
  'libs/sdk/src/calls.ts',
  ...['calls', 'types', 'version'].map((name) => `libs/sdk-python/src/holdfast/${name}.py`),
]);

/** Every file of the clone that people write, as a path below it with forward slashes. */
export function filesBelow(folder = ''): string[] {
  return readdirSync(join(root, folder), { withFileTypes: true }).flatMap((entry) => {
    if (foreign.has(entry.name) || entry.name.endsWith('.tsbuildinfo')) return [];
    const path = relative(root, join(root, folder, entry.name))
      .split(sep)
      .join('/');
    return entry.isDirectory() ? filesBelow(path) : generated.has(path) ? [] : [path];
  });
}

export function textOf(file: string): string {
  return readFileSync(join(root, file), 'utf8');
}

/** Where `pattern` is found, as `file:line` with the line. */
export function findings(files: string[], pattern: RegExp): string[] {
  return files.flatMap((file) =>
    textOf(file)
      .split('\n')
      .flatMap((line, i) => (pattern.test(line) ? [`${file}:${i + 1} ${line.trim().slice(0, 120)}`] : [])),
  );
}

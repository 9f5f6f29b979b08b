import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../setup/paths.mjs';

/** Drawn by bench from its saved results. No static import: it is a project of its own. */
export async function benchmarkPages(): Promise<Record<string, string>> {
  const module = pathToFileURL(join(root, 'bench', 'history', 'page.ts')).href;
  const { benchmarkPages: pages } = (await import(module)) as { benchmarkPages: () => Record<string, string> };
  return pages();
}

import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../setup/paths.mjs';

/** A module of an app as it was built. Not an import: no tool depends on an app, it reads what the app has become. */
export function built(app: string, module: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(root, 'apps', app, 'dist', `${module}.js`)).href) as Promise<
    Record<string, unknown>
  >;
}

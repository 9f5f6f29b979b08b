import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../setup/paths.mjs';

/** Loads a module from the build of an app. It is no static import, since tools must not depend on apps. */
export function built(app: string, module: string): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(root, 'apps', app, 'dist', `${module}.js`)).href) as Promise<
    Record<string, unknown>
  >;
}

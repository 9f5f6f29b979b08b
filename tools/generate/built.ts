import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from '../setup/paths.mjs';

/**
 * Loads a module from the build of an app, or of the library `testing`. It is no static import, since tools must not
 * depend on either.
 */
export function built(app: string, module: string, folder: 'apps' | 'libs' = 'apps'): Promise<Record<string, unknown>> {
  return import(pathToFileURL(join(root, folder, app, 'dist', `${module}.js`)).href) as Promise<
    Record<string, unknown>
  >;
}

// Loaded by `--import`: imports of @holdfast/… by the clone's own programs come from the compiled folder that the
// query of this module's address names, and not from the projects' `dist`, which a fresh clone does not have.
import { registerHooks } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const folder = new URL(import.meta.url).searchParams.get('folder') ?? '';
const parentURL = pathToFileURL(join(folder, 'package.json')).href;

registerHooks({
  resolve: (specifier, context, next) =>
    next(
      specifier,
      specifier.startsWith('@holdfast/') && !isBuilt(context.parentURL) ? { ...context, parentURL } : context,
    ),
});

/**
 * Copies of a build import each other.
 * @param {string | undefined} url
 */
function isBuilt(url) {
  return url?.includes('/dist/') ?? false;
}

import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { mediaTypes } from '../edge/media-types.js';
import type { Asset } from '../pages/built-pages.js';

/** The files of the ALTCHA widget, read once at start: a name from a URL never becomes a path. */
export interface Widget {
  /** Part of the URL, because files may be cached without limit: it changes with every change of their content. */
  version: string;
  files: ReadonlyMap<string, Asset>;
}

/** Injection token of the widget. */
export const WIDGET = Symbol('widget');

/** Increase it with every change of `entry`; 1 again for a new version of the widget. */
const revision = 1;

/**
 * The module that a page loads. It uses the variant of the widget without inline styles and workers, for pages with a
 * strict Content Security Policy. A worker must have the origin of the page, so a page of another origin gets a worker
 * that imports ours.
 */
const entry = `import './altcha.js';

const script = new URL('./pbkdf2.js', import.meta.url);
const address = script.origin === location.origin
  ? script.href
  : URL.createObjectURL(new Blob(['importScripts(' + JSON.stringify(script.href) + ')'], { type: 'text/javascript' }));
globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(address));
`;

export async function readWidget(): Promise<Widget> {
  const dist = join(dirname(createRequire(import.meta.url).resolve('altcha/external')), '..');
  const { version } = JSON.parse(await readFile(join(dist, '..', 'package.json'), 'utf8')) as { version: string };
  const file = async (name: string, path: string, type: string): Promise<[string, Asset]> => [
    name,
    { type, content: await readFile(join(dist, path)) },
  ];
  const files = await Promise.all([
    file('altcha.js', 'external/altcha.min.js', mediaTypes.javascript),
    file('altcha.css', 'external/altcha.css', mediaTypes.css),
    file('pbkdf2.js', 'workers/pbkdf2.js', mediaTypes.javascript),
  ]);
  return {
    version: `${version}-${revision}`,
    files: new Map([['widget.js', { type: mediaTypes.javascript, content: Buffer.from(entry) }], ...files]),
  };
}

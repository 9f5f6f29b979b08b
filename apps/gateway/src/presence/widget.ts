import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import type { Asset } from '../pages/built-pages.js';

/** The ALTCHA widget as we serve it, read once at start: a name from an address never becomes a path. */
export interface Widget {
  /** Part of the address, since what it names may be kept for ever: one more with each change of our own file. */
  version: string;
  files: ReadonlyMap<string, Asset>;
}

/** Injection token of the widget. */
export const WIDGET = Symbol('widget');

/** Counts changes of `entry` for one version of the widget. */
const revision = 1;

/**
 * What a page loads: the variant of the widget without inline styles and workers, for pages with a strict Content
 * Security Policy. A worker must be of the page's own origin, so a page elsewhere gets one that loads ours.
 */
const entry = `import './altcha.js';

const script = new URL('./pbkdf2.js', import.meta.url);
const address = script.origin === location.origin
  ? script.href
  : URL.createObjectURL(new Blob(['importScripts(' + JSON.stringify(script.href) + ')'], { type: 'text/javascript' }));
globalThis.$altcha.algorithms.set('PBKDF2/SHA-256', () => new Worker(address));
`;

const javascript = 'text/javascript; charset=utf-8';

export async function readWidget(): Promise<Widget> {
  const dist = join(dirname(createRequire(import.meta.url).resolve('altcha/external')), '..');
  const { version } = JSON.parse(await readFile(join(dist, '..', 'package.json'), 'utf8')) as { version: string };
  const file = async (name: string, path: string, type: string): Promise<[string, Asset]> => [
    name,
    { type, content: await readFile(join(dist, path)) },
  ];
  const files = await Promise.all([
    file('altcha.js', 'external/altcha.min.js', javascript),
    file('altcha.css', 'external/altcha.css', 'text/css; charset=utf-8'),
    file('pbkdf2.js', 'workers/pbkdf2.js', javascript),
  ]);
  return {
    version: `${version}-${revision}`,
    files: new Map([['widget.js', { type: javascript, content: Buffer.from(entry) }], ...files]),
  };
}

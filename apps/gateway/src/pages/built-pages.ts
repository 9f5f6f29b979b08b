import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { mediaTypes } from '../edge/media-types.js';
import { staticContent, type StaticContent } from './static-content.js';

/** The documents that apps/pages builds. */
const pageNames = ['account', 'claim', 'invitation', 'passkey', 'sign-in', 'verify'] as const;
type PageName = (typeof pageNames)[number] | 'hub';

/** The builds of apps/pages and apps/hub, read once at start: a name from a URL never becomes a path. */
export interface BuiltPages {
  documents: Record<PageName, string>;
  assets: ReadonlyMap<string, StaticContent>;
}

export interface Asset {
  type: string;
  content: Buffer;
}

/** Injection token of the pages. */
export const PAGES = Symbol('pages');

const types: Record<string, string> = {
  '.css': mediaTypes.css,
  '.ico': 'image/vnd.microsoft.icon',
  '.js': mediaTypes.javascript,
  '.svg': 'image/svg+xml',
};

/** Ending of the name of a compressed file. */
const compressed = '.br';

/** Resolves the package name, which works alike in a clone, an image and an installation. */
export function builtFolder(project: 'pages' | 'hub'): string {
  return join(dirname(createRequire(import.meta.url).resolve(`@holdfast/${project}/package.json`)), 'dist');
}

/** @throws when one of them is not built: the gateway does not start without its pages */
export async function readPages(pages = builtFolder('pages'), hub = builtFolder('hub')): Promise<BuiltPages> {
  const documentOf = async (name: PageName, folder: string) =>
    [name, await readFile(join(folder, `${name}.html`), 'utf8')] as const;
  const files = Promise.all([
    Promise.all([...pageNames.map((name) => documentOf(name, pages)), documentOf('hub', hub)]),
    readAssets(join(pages, 'assets')),
    readAssets(hub),
  ]);
  const [documents, ...assets] = await files.catch((cause: unknown) => {
    throw new Error('The pages are not built: build apps/pages and apps/hub first.', { cause });
  });
  return {
    documents: Object.fromEntries(documents) as BuiltPages['documents'],
    assets: new Map(assets.flat()),
  };
}

/** The files of a folder that documents load. */
async function readAssets(folder: string): Promise<[string, StaticContent][]> {
  const names = await readdir(folder);
  const read = async (name: string): Promise<[string, StaticContent]> => {
    const type = types[extname(name)];
    if (!type) throw new Error(`The pages have a file of an unknown media type: ${name}`);
    const content = await readFile(join(folder, name));
    const brotli = names.includes(name + compressed) ? await readFile(join(folder, name + compressed)) : undefined;
    return [name, { ...staticContent(type, content), ...(brotli && { brotli }) }];
  };
  return Promise.all(names.filter((name) => !/\.(br|html)$/.test(name)).map(read));
}

/** `immutable`: the name contains a hash of the content. `short`: the name is stable. `none`: a substitute. */
type AssetCaching = 'immutable' | 'short' | 'none';

/** A substitute must not be cached: its URL is that of another version's file. */
export const cacheControl: Record<AssetCaching, string> = {
  immutable: 'public, max-age=31536000, immutable',
  short: 'public, max-age=300',
  none: 'no-store',
};

/**
 * The file of that name or else, as a substitute, the current file of the same kind: while replicas of two versions
 * run, a browser may get a page from one and request its script from the other, and the page must not stay empty.
 */
export function assetOf(
  assets: BuiltPages['assets'],
  name: string,
): (StaticContent & { caching: AssetCaching }) | undefined {
  const exact = assets.get(name);
  if (exact) return { ...exact, caching: 'immutable' };
  const kind = kindOf(name);
  const [, substitute] = [...assets].find(([other]) => kind !== undefined && kindOf(other) === kind) ?? [];
  return substitute && { ...substitute, caching: stableNames.has(name) ? 'short' : 'none' };
}

/**
 * Names without a hash: documents outside the build use them (libs/platform/src/html/html-page.ts), and browsers
 * themselves.
 */
const stableNames = new Set(['page.css', 'icon.svg', 'favicon.ico']);

/** The kind of `claim-MKG7USLO.js` is `claim.js`. The hub's hashes are in small letters. */
function kindOf(name: string): string | undefined {
  if (stableNames.has(name)) return name;
  const [, kind, ending] = /^([a-z-]+)-(?:[A-Z0-9]{8}|[a-z0-9]{8})(\.[a-z]+)$/.exec(name) ?? [];
  return kind && `${kind}${ending}`;
}

import { readdir, readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { sha256 } from '@holdfast/platform';

/** What apps/pages was built into, read once at start: a name from an address never becomes a path. */
export interface BuiltPages {
  claim: string;
  signIn: string;
  assets: ReadonlyMap<string, PageAsset>;
}

export interface Asset {
  type: string;
  content: Buffer;
}

export interface PageAsset extends Asset {
  /** RFC 9110 §8.8.3, by the content. */
  etag: string;
}

/** Injection token of the pages. */
export const PAGES = Symbol('pages');

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.ico': 'image/vnd.microsoft.icon',
  '.js': 'text/javascript; charset=utf-8',
  '.svg': 'image/svg+xml',
};

/** By the package's name, so that a clone, an image and an installation find them in the same way. */
export function pagesFolder(): string {
  return join(dirname(createRequire(import.meta.url).resolve('@holdfast/pages/package.json')), 'dist');
}

/** @throws when apps/pages is not built: better no gateway than one without its pages. */
export async function readPages(folder = pagesFolder()): Promise<BuiltPages> {
  const assets = join(folder, 'assets');
  const files = Promise.all([
    readFile(join(folder, 'claim.html'), 'utf8'),
    readFile(join(folder, 'sign-in.html'), 'utf8'),
    readdir(assets),
  ]);
  const [claim, signIn, names] = await files.catch((cause: unknown) => {
    throw new Error('The claim and sign-in pages are not built: build apps/pages first.', { cause });
  });
  const read = async (name: string): Promise<[string, PageAsset]> => {
    const type = types[extname(name)];
    if (!type) throw new Error(`The pages have a file of an unknown kind: ${name}`);
    const content = await readFile(join(assets, name));
    return [name, { type, content, etag: `"${sha256(content).toString('base64url')}"` }];
  };
  return { claim, signIn, assets: new Map(await Promise.all(names.map(read))) };
}

/**
 * The file of that name; failing that, today's file of the same kind. While replicas of two versions stand beside each
 * other, the document may come from the one and its script be asked of the other: that page must not stay empty.
 * `keep` says for how long it is what its name says: a name by content for ever, one that does not change for a while.
 */
export function assetOf(
  assets: BuiltPages['assets'],
  name: string,
): (PageAsset & { keep: 'ever' | 'while' | 'not' }) | undefined {
  const exact = assets.get(name);
  if (exact) return { ...exact, keep: 'ever' };
  const kind = kindOf(name);
  const [, kin] = [...assets].find(([other]) => kind !== undefined && kindOf(other) === kind) ?? [];
  return kin && { ...kin, keep: stableNames.has(name) ? 'while' : 'not' };
}

/**
 * Names that do not change: documents that no build makes (libs/platform/src/html-page.ts) load these, and browsers do
 * by themselves.
 */
const stableNames = new Set(['page.css', 'icon.svg', 'favicon.ico']);

/** `claim-MKG7USLO.js` is a `claim.js`. */
function kindOf(name: string): string | undefined {
  if (stableNames.has(name)) return name;
  const [, kind, ending] = /^([a-z-]+)-[A-Z0-9]{8}(\.[a-z]+)$/.exec(name) ?? [];
  return kind && `${kind}${ending}`;
}

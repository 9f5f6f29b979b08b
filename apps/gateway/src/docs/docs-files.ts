import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, extname, join } from 'node:path';
import { sha256 } from '@holdfast/platform';
import { mediaTypes } from '../edge/media-types.js';
import { compressed, type StaticContent } from '../pages/static-content.js';
import { docsPage, errorsPage, pageStyle } from './pages.js';
import { referenceScript } from './reference-script.js';
import { referenceStyle } from './reference-style.js';

/** What the pages of the reference need. */
export interface DocsFiles {
  docs: StaticContent;
  errors: StaticContent;
  /** By their names, which contain a hash. */
  assets: ReadonlyMap<string, StaticContent>;
}

const swagger = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const types: Record<string, string> = { '.css': mediaTypes.css, '.js': mediaTypes.javascript };

/** Reads and compresses them. @throws Error when swagger-ui-dist is not installed */
export async function readDocsFiles(): Promise<DocsFiles> {
  const ofSwagger = (name: string) => readFile(join(swagger, name));
  const contents: Record<string, Buffer> = {
    'swagger-ui.css': await ofSwagger('swagger-ui.css'),
    'swagger-ui-bundle.js': await ofSwagger('swagger-ui-bundle.js'),
    'reference.js': Buffer.from(referenceScript),
    'reference.css': Buffer.from(referenceStyle),
    'page.css': Buffer.from(pageStyle),
  };
  const pathOf = (name: string) => `/docs/assets/${hashedName(name, contents[name]!)}`;
  const page = (html: string) => compressed(mediaTypes.html, Buffer.from(html));
  const assets = Object.entries(contents).map(
    async ([name, content]) => [hashedName(name, content), await compressed(types[extname(name)]!, content)] as const,
  );
  const [docs, errors] = await Promise.all([page(docsPage(pathOf)), page(errorsPage(pathOf))]);
  return { docs, errors, assets: new Map(await Promise.all(assets)) };
}

/** `reference.js` becomes `reference-1a2b3c4d.js`. */
function hashedName(name: string, content: Buffer): string {
  const ending = extname(name);
  return `${name.slice(0, -ending.length)}-${sha256(content).toString('hex').slice(0, 8)}${ending}`;
}

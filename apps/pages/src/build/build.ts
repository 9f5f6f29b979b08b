import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { texts } from '../texts.ts';
import { documentOf } from './document.ts';

/**
 * Builds `dist`, or the folder of the argument: one document per page, and in `assets` below it the files they load,
 * with their hash in the name. For another folder the libraries are bundled from their sources.
 */
const source = fileURLToPath(new URL('..', import.meta.url));
const [folder] = process.argv.slice(2);
const dist = folder ?? join(source, '..', 'dist');
const pages = {
  claim: texts.claim.title,
  hub: texts.hub.title,
  invitation: texts.invitation.title,
  'sign-in': texts.signIn.title,
  verify: texts.verify.title,
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const { metafile } = await build({
  entryPoints: {
    ...Object.fromEntries(Object.keys(pages).map((name) => [name, join(source, name, `${name}-page.ts`)])),
    page: join(source, 'page.css'),
    'no-script': join(source, 'no-script.css'),
    icon: join(source, 'icon.svg'),
    favicon: join(source, 'favicon.ico'),
  },
  outdir: join(dist, 'assets'),
  entryNames: '[name]-[hash]',
  loader: { '.svg': 'copy', '.ico': 'copy' },
  bundle: true,
  ...(folder !== undefined && { conditions: ['@holdfast/source'] }),
  minify: true,
  format: 'esm',
  // Browsers with passkeys: Chrome 108, Firefox 122, Safari 16.
  target: ['chrome108', 'firefox115', 'safari16'],
  legalComments: 'none',
  metafile: true,
});

const outputs = Object.keys(metafile.outputs).map((path) => basename(path));
const outputOf = (name: string, extension: string): string => {
  const found = outputs.find(
    (file) =>
      file.startsWith(`${name}-`) && file.endsWith(extension) && file.length === name.length + extension.length + 9,
  );
  if (!found) throw new Error(`esbuild wrote no ${name}${extension}: ${outputs.join(', ')}`);
  return found;
};

for (const [name, title] of Object.entries(pages)) {
  const assets = {
    script: outputOf(name, '.js'),
    style: outputOf('page', '.css'),
    noScriptStyle: outputOf('no-script', '.css'),
    icon: outputOf('icon', '.svg'),
  };
  await writeFile(join(dist, `${name}.html`), documentOf(title, assets));
}

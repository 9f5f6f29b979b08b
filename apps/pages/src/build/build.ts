import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, extname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import { build, type BuildOptions, type Metafile } from 'esbuild';
import { languages } from '@holdfast/contracts';
import { en } from '../texts/en.ts';
import { documentOf } from './document.ts';

/**
 * Builds `dist`, or the folder of the argument: one document per page, and in `assets` below it the files they load,
 * with their hash in the name, each text also compressed (`.br`). For another folder the libraries are bundled from
 * their sources.
 */
const source = fileURLToPath(new URL('..', import.meta.url));
const isText = new Set(['.css', '.js', '.svg']);
const [folder] = process.argv.slice(2);
const dist = folder ?? join(source, '..', 'dist');
const pages = {
  account: en.account.title,
  claim: en.claim.title,
  invitation: en.invitation.title,
  passkey: en.passkeyLink.title,
  'sign-in': en.signIn.title,
  verify: en.verify.title,
};

await rm(dist, { recursive: true, force: true });
await mkdir(dist, { recursive: true });
const options = {
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
} satisfies BuildOptions;

// A file of its own, since few customers need it.
const qrCode = await build({ ...options, entryPoints: { 'qr-code': join(source, 'screen', 'qr-code.ts') } });
const [qrCodeScript] = filesOf(qrCode.metafile);
// The English texts of a page are part of its script. Another language is a file of its own, for its readers alone.
const others = languages.filter((language) => language !== 'en');
const translations = await build({
  ...options,
  entryPoints: Object.fromEntries(others.map((language) => [language, join(source, 'texts', `${language}.ts`)])),
});
const translationScripts = others.map((language, i) => [language, `/pages/${filesOf(translations.metafile)[i]}`]);
const { metafile } = await build({
  ...options,
  define: {
    QR_CODE_SCRIPT: JSON.stringify(`/pages/${qrCodeScript}`),
    TEXTS_SCRIPTS: JSON.stringify(Object.fromEntries(translationScripts)),
  },
  external: ['/pages/*'],
  entryPoints: {
    ...Object.fromEntries(Object.keys(pages).map((name) => [name, join(source, name, `${name}-page.ts`)])),
    page: join(source, 'page.css'),
    'no-script': join(source, 'no-script.css'),
    icon: join(source, 'icon.svg'),
    favicon: join(source, 'favicon.ico'),
  },
});

const outputs = filesOf(metafile);
await Promise.all(
  [...outputs, ...filesOf(translations.metafile), qrCodeScript!]
    .filter((file) => isText.has(extname(file)))
    .map(compress),
);
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

function filesOf({ outputs }: Metafile): string[] {
  return Object.keys(outputs).map((path) => basename(path));
}

/** RFC 7932, at the highest quality. */
async function compress(file: string): Promise<void> {
  const path = join(dist, 'assets', file);
  await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
}

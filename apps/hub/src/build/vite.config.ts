import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { brotliCompress } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defaultClientConditions, defineConfig, type Plugin } from 'vite';

/** Each text also compressed (RFC 7932), as the gateway serves it (apps/gateway/src/pages/built-pages.ts). */
function compressed(): Plugin {
  return {
    name: 'compressed',
    async writeBundle({ dir }, bundle) {
      const texts = Object.keys(bundle).filter((name) => /\.(js|css)$/.test(name));
      await Promise.all(
        texts.map(async (name) => {
          const path = join(dir!, name);
          await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)));
        }),
      );
    },
  };
}

// Names have a hash of eight characters in one case: the gateway finds the current file of the same kind by it.
const named = (extension: string) => `[name]-[hash:8]${extension}`;

const source = fileURLToPath(new URL('..', import.meta.url));

/** Builds `dist`, or the folder of `--outDir`: the document, and beside it the files that it loads. */
export default defineConfig({
  root: source,
  base: '/pages/',
  plugins: [react(), compressed()],
  resolve: { conditions: ['@holdfast/source', ...defaultClientConditions] },
  build: {
    outDir: join(source, '..', 'dist'),
    assetsDir: '',
    emptyOutDir: true,
    // The browsers of apps/pages: Chrome 108, Firefox 115, Safari 16.
    target: ['chrome108', 'firefox115', 'safari16'],
    // The content security policy of the hub allows no `data:` script or font.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    rolldownOptions: {
      input: join(source, 'hub.html'),
      output: {
        hashCharacters: 'base36',
        entryFileNames: named('.js'),
        chunkFileNames: named('.js'),
        assetFileNames: named('[extname]'),
      },
    },
  },
});

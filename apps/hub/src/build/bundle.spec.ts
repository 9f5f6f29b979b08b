// The size of what a browser loads. It reads the build, so a library that grows it fails here.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { expect, test } from '@jest/globals';

const dist = 'apps/hub/dist';
const gzippedBytes = (file: string) => gzipSync(readFileSync(join(dist, file))).length;
const document = readFileSync(join(dist, 'hub.html'), 'utf8');
/** The script, the scripts that it imports at once, and the stylesheets. */
const first = [...document.matchAll(/(?:src|href)="\/pages\/([^"]+\.(?:js|css))"/g)].map(([, file]) => file!);

test('the first load has at most 200 kB, compressed with gzip', () => {
  expect(first.length).toBeGreaterThan(1);
  expect(first.reduce((sum, file) => sum + gzippedBytes(file), 0)).toBeLessThanOrEqual(200_000);
});

test('a file that a screen loads later has at most 60 kB, compressed with gzip', () => {
  const later = readdirSync(dist).filter((file) => /\.(js|css)$/.test(file) && !first.includes(file));
  expect(later.length).toBeGreaterThan(5);
  expect(later.filter((file) => gzippedBytes(file) > 60_000)).toEqual([]);
});

test('the document has no inline script and no inline style', () => {
  expect(document).not.toMatch(/<script(?![^>]* src=)|<style|\sstyle=|\son[a-z]+=/i);
});

import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { pagesFolder, readPages } from './built-pages.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  await mkdir(join(folder, 'assets'));
});
afterEach(() => rm(folder, { recursive: true }));

test('reads the built pages and their assets', async () => {
  await Promise.all([
    writeFile(join(folder, 'account.html'), 'a'),
    writeFile(join(folder, 'claim.html'), 'c'),
    writeFile(join(folder, 'hub.html'), 'h'),
    writeFile(join(folder, 'invitation.html'), 'i'),
    writeFile(join(folder, 'passkey.html'), 'p'),
    writeFile(join(folder, 'sign-in.html'), 's'),
    writeFile(join(folder, 'verify.html'), 'v'),
    writeFile(join(folder, 'assets', 'page-AAAAAAAA.css'), 'p'),
    writeFile(join(folder, 'assets', 'page-AAAAAAAA.css.br'), 'c'),
    writeFile(join(folder, 'assets', 'icon-AAAAAAAA.svg'), 'i'),
  ]);
  const { documents, assets } = await readPages(folder);
  expect(documents).toEqual({
    account: 'a',
    claim: 'c',
    hub: 'h',
    invitation: 'i',
    passkey: 'p',
    'sign-in': 's',
    verify: 'v',
  });
  expect([...assets.keys()].toSorted()).toEqual(['icon-AAAAAAAA.svg', 'page-AAAAAAAA.css']);
  expect(assets.get('page-AAAAAAAA.css')).toMatchObject({
    type: 'text/css; charset=utf-8',
    brotli: Buffer.from('c'),
  });
  expect(assets.get('icon-AAAAAAAA.svg')).not.toHaveProperty('brotli');
});

test('rejects when the pages are not built', async () => {
  await expect(readPages(folder)).rejects.toThrow('not built');
});

test('finds the pages by the name of their package', () => {
  expect(pagesFolder()).toMatch(/pages[\\/]dist$/);
});

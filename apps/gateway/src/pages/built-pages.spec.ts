import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { builtFolder, readPages } from './built-pages.js';

let folder: string;
beforeEach(async () => {
  folder = await mkdtemp(join(tmpdir(), 'pages-'));
  await Promise.all([mkdir(join(folder, 'assets')), mkdir(join(folder, 'hub'))]);
});
afterEach(() => rm(folder, { recursive: true }));

test('reads the built pages and their assets', async () => {
  await Promise.all([
    writeFile(join(folder, 'account.html'), 'a'),
    writeFile(join(folder, 'claim.html'), 'c'),
    writeFile(join(folder, 'hub', 'hub.html'), 'h'),
    writeFile(join(folder, 'hub', 'hub-aaaaaaaa.js'), 'j'),
    writeFile(join(folder, 'hub', 'hub-aaaaaaaa.js.br'), 'c'),
    writeFile(join(folder, 'invitation.html'), 'i'),
    writeFile(join(folder, 'passkey.html'), 'p'),
    writeFile(join(folder, 'sign-in.html'), 's'),
    writeFile(join(folder, 'verify.html'), 'v'),
    writeFile(join(folder, 'assets', 'page-AAAAAAAA.css'), 'p'),
    writeFile(join(folder, 'assets', 'page-AAAAAAAA.css.br'), 'c'),
    writeFile(join(folder, 'assets', 'icon-AAAAAAAA.svg'), 'i'),
  ]);
  const { documents, assets } = await readPages(folder, join(folder, 'hub'));
  expect(documents).toEqual({
    account: 'a',
    claim: 'c',
    hub: 'h',
    invitation: 'i',
    passkey: 'p',
    'sign-in': 's',
    verify: 'v',
  });
  expect([...assets.keys()].toSorted()).toEqual(['hub-aaaaaaaa.js', 'icon-AAAAAAAA.svg', 'page-AAAAAAAA.css']);
  expect(assets.get('page-AAAAAAAA.css')).toMatchObject({
    type: 'text/css; charset=utf-8',
    brotli: Buffer.from('c'),
  });
  expect(assets.get('icon-AAAAAAAA.svg')).not.toHaveProperty('brotli');
});

test('rejects when pages or hub are not built', async () => {
  await expect(readPages(folder)).rejects.toThrow('not built');
  await expect(readPages(builtFolder('pages'), folder)).rejects.toThrow('not built');
});

test('finds both by the names of their packages', () => {
  expect(builtFolder('pages')).toMatch(/pages[\\/]dist$/);
  expect(builtFolder('hub')).toMatch(/hub[\\/]dist$/);
});

import { createHash } from 'node:crypto';
import { appendFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from '@jest/globals';
import { generateKey, readKey } from 'openpgp';
import { helm, installHelm, valuesFile } from './helm.ts';
import { packChart } from './pack.ts';

const folder = mkdtempSync(join(tmpdir(), 'holdfast-chart-'));
afterAll(() => rmSync(folder, { recursive: true }));
const keyring = join(folder, 'keyring.gpg');
let archive: string;
let layout: string;

beforeAll(async () => {
  await installHelm();
  const { privateKey, publicKey } = await generateKey({
    type: 'rsa',
    rsaBits: 2048,
    userIDs: [{ name: 'Releases', email: 'releases@holdfast.example' }],
    passphrase: 'a passphrase',
  });
  writeFileSync(keyring, (await readKey({ armoredKey: publicKey })).write());
  const packed = await packChart(folder, { signingKey: privateKey, passphrase: 'a passphrase' });
  [archive, , layout] = packed.files as [string, string, string];
});

test('Helm verifies the archive by its provenance, installs it, and refuses one that was changed', async () => {
  expect(await helm('verify', archive, '--keyring', keyring)).toContain('Signed by: Releases');
  expect(await helm('template', 'holdfast', archive, '--values', valuesFile('minimal'))).toContain('kind: Deployment');
  const changed = join(mkdtempSync(join(folder, 'changed-')), 'holdfast-0.1.0.tgz');
  writeFileSync(changed, readFileSync(archive));
  writeFileSync(`${changed}.prov`, readFileSync(`${archive}.prov`));
  appendFileSync(changed, 'x');
  await expect(helm('verify', changed, '--keyring', keyring)).rejects.toThrow(/sha256 sum does not match/);
});

test('the image layout has the archive and its provenance, each under its digest', () => {
  const read = (digest: string) => readFileSync(join(layout, 'blobs', 'sha256', digest.replace('sha256:', '')));
  const json = (digest: string) => JSON.parse(read(digest).toString()) as Record<string, never>;
  const { manifests } = JSON.parse(readFileSync(join(layout, 'index.json'), 'utf8')) as {
    manifests: { digest: string; size: number }[];
  };
  const { config, layers } = json(manifests[0]!.digest) as unknown as Record<'config', { digest: string }> & {
    layers: { mediaType: string; digest: string; size: number }[];
  };
  expect(json(config.digest)).toMatchObject({ name: 'holdfast', version: '0.1.0' });
  expect(layers.map(({ mediaType }) => mediaType.split('.').slice(3).join('.'))).toEqual([
    'chart.content.v1.tar+gzip',
    'chart.provenance.v1.prov',
  ]);
  expect(read(layers[0]!.digest)).toEqual(readFileSync(archive));
  for (const { digest, size } of [...manifests, ...layers]) {
    expect(digest).toBe(`sha256:${createHash('sha256').update(read(digest)).digest('hex')}`);
    expect(read(digest)).toHaveLength(size);
  }
});

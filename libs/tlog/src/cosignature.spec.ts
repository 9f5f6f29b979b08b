import { generateKeyPairSync } from 'node:crypto';
import { describe, expect, test } from '@jest/globals';
import { openCosignatures, withSignatureLines } from './cosignature.js';
import { cosign, signCheckpoint, verifierKeyOf } from './signing.js';
import { FormatError } from './text.js';
import { formatVerifierKey, parseVerifierKey, parseWitnessKey, verifierKeyOfBytes } from './verifier-key.js';

/** As a log of Certificate Transparency and its witnesses have published it, in May 2026. */
const text = `arche2025h1.staging.ct.transparency.dev
1432088532
U7WM79jrzyhGZ5/GUBTpM7NzwdyfFx61t3RovgcC4Ro=
`;
const signatures: [name: string, ...base64: string[]][] = [
  [
    'arche2025h1.staging.ct.transparency.dev',
    'ui8GwCF1+kWqZrxGdhj4aX3gcw7XUlXQQabg/27lefwhUkzbC3NygNI75Mdh',
    'L1bfTW9g8Ei59RA23oHP7Ry1k3ZFWwQ=',
  ],
  [
    'witness1.smartit.nu/witness1',
    'pIyCDwAAAABqEiEghIp82KWebrw7/oHQwlTAm3g2RKS4+eebl8eO0WH+/iEc',
    'xZ75W3u5hNI7TOQtmJbqmNWVuE0tgh0XwzdZsDsUAQ==',
  ],
  [
    'remora.n621.de',
    '2net5wAAAABqEiEgPlfF3V06o0Y+fHM+J5J9s27wgxxcOVSpZ/2g/KSiXCg9',
    'DEZI+aVCIobWX9sXTynk5XeU/zZ0WBxtqB0DrAWfBw==',
  ],
  [
    'witness.stagemole.eu',
    'Z/euoAAAAABqEiEgw0i+7g2ENfDAWHmtRzCfKTHSDwYDJA2NmKeGi9Y8FtEy',
    'OUvVr+AJmIY/2TUFucgKi7lI7cUiOvKFYe/TmN9DAg==',
  ],
];
const published = `${text}\n${signatures.map(([name, ...base64]) => `— ${name} ${base64.join('')}\n`).join('')}`;
const witnessKeys = [
  'remora.n621.de+da77ade7+BOvN63jn/bLvkieywe8R6UYAtVtNbZpXh34x7onlmtw2',
  'witness.stagemole.eu+67f7aea0+BEqSG3yu9YrmcM3BHvQYTxwFj3uSWakQepafafpUqklv',
  'witness1.smartit.nu/witness1+a48c820f+BPSFWg9G6KPiO7QPryYO5Xq4oYJJ+kAvLKLSimDhoxMO',
];
const witnesses = witnessKeys.map(parseWitnessKey);

const origin = 'id.example/o/acme/audit';
const log = generateKeyPairSync('ed25519');
const note = signCheckpoint({ origin, size: 44, root: Buffer.alloc(32, 7) }, log.privateKey);
const newWitness = (name: string) => {
  const { privateKey, publicKey } = generateKeyPairSync('ed25519');
  return { privateKey, key: verifierKeyOf(name, publicKey, 'witness') };
};
const at = new Date('2026-11-23T10:00:00Z');

describe('cosignatures of witnesses', () => {
  test('those of a published checkpoint verify, with their time', () => {
    expect(openCosignatures(published, witnesses).map(({ witness, at: time }) => [witness.name, time])).toEqual(
      witnesses.map(({ name }) => [name, new Date(0x6a122120 * 1000)]),
    );
  });

  test.each([
    ['another size', published.replace('1432088532', '1432088533')],
    ['another root', published.replace('U7WM', 'U7WN')],
    ['another time', published.replace('2net5wAAAABqEiEg', '2net5wAAAABqEiEh')],
    ['the signature of another witness', published.replace('2net5wAAAABqEiEgPlfF', '2net5wAAAABqEiEgw0i+')],
  ])('a checkpoint with %s is rejected', (_, changed) => {
    expect(() => openCosignatures(changed, witnesses)).toThrow(FormatError);
  });

  test('those of others are ignored, also with the same name or the same id', () => {
    const [one, other] = [newWitness('one.example'), newWitness('other.example')];
    const line = cosign(note, one.key, one.privateKey, at);
    const sameName = verifierKeyOfBytes('one.example', other.key.publicKey, 'witness');
    expect(openCosignatures(withSignatureLines(note, [line]), [other.key, sameName])).toEqual([]);
    const renamed = line.replace('one.example', 'other.example');
    expect(openCosignatures(withSignatureLines(note, [renamed]), [one.key, other.key])).toEqual([]);
  });

  test('of several by one witness the newest counts, and only once', () => {
    const { key, privateKey } = newWitness('one.example');
    const lines = [-60_000, 0, -120_000].map((ms) => cosign(note, key, privateKey, new Date(at.getTime() + ms)));
    const found = openCosignatures(withSignatureLines(note, lines), [key]);
    expect(found.map((each) => [each.at, each.line])).toEqual([[at, lines[1]]]);
  });

  test('the signature of a log is none, even by a key of the same name', () => {
    const asWitness = verifierKeyOf(origin, log.publicKey, 'witness');
    expect(asWitness.keyId).not.toBe(verifierKeyOf(origin, log.publicKey).keyId);
    expect(openCosignatures(note, [asWitness])).toEqual([]);
  });
});

describe('verifier keys of witnesses', () => {
  test('are written as they were read, and are no keys of logs', () => {
    expect(witnesses.map(formatVerifierKey)).toEqual(witnessKeys);
    expect(() => parseVerifierKey(witnessKeys[0]!)).toThrow('is not the Ed25519 key of a log');
    expect(() => parseWitnessKey(formatVerifierKey(verifierKeyOf(origin, log.publicKey)))).toThrow(
      'is not the Ed25519 key of a witness',
    );
  });
});

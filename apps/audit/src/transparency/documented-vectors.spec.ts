import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from '@jest/globals';
import { documentedVectors } from './documented-vectors.fixture.js';

interface Vectors {
  origin: string;
  verifierKeys: [string, string];
  proof: { hashes: string[]; checkpoint: string };
}

const docs = join(import.meta.dirname, '../../../../docs');
const vectors = JSON.parse(readFileSync(join(docs, 'audit-proof-vectors.json'), 'utf8')) as Vectors;

test('the documented vectors equal those of the code', async () => {
  expect(vectors).toEqual(await documentedVectors());
});

const has = (code: string) => spawnSync('python3', ['-c', code]).status === 0;

const withCryptography = has('import cryptography') ? test : test.skip;

withCryptography('the documented verifier in Python decides all test vectors for exports alike', () => {
  const folder = join(docs, 'audit-export-vectors');
  const { vectors: all } = JSON.parse(readFileSync(join(folder, 'vectors.json'), 'utf8')) as {
    vectors: { name: string; expected: { verdict: string } }[];
  };
  const { stdout, stderr } = spawnSync('python3', ['-B', join(folder, 'verify.py')], { encoding: 'utf8' });
  expect(stderr).toBe('');
  const decided = stdout
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { name: string; verdict: string });
  expect(decided.map(({ name, verdict }) => ({ name, verdict }))).toEqual(
    all.map(({ name, expected: { verdict } }) => ({ name, verdict })),
  );
});

describe('the documented Python snippets', () => {
  const [inclusion, signature] = [
    ...readFileSync(join(docs, 'audit-proofs.md'), 'utf8').matchAll(/```python\n([\s\S]*?)```/g),
  ].map(([, code]) => code) as [string, string];
  let folder: string;
  beforeAll(() => {
    folder = mkdtempSync(join(tmpdir(), 'snippets-'));
  });
  afterAll(() => rmSync(folder, { recursive: true }));

  function run(code: string, proof: object, key: string) {
    const file = join(folder, 'proof.json');
    writeFileSync(file, JSON.stringify(proof));
    const { status, stdout } = spawnSync('python3', ['-c', code, file, vectors.origin, key], { encoding: 'utf8' });
    return { status, stdout };
  }

  const withPython = has('') ? test : test.skip;
  withPython('verify the proof of an event, and reject a changed one', () => {
    expect(run(inclusion, vectors.proof, '')).toEqual({
      status: 0,
      stdout: 'In the log: offer.create 2026-11-21T09:30:03.000Z\n',
    });
    expect(run(inclusion, { ...vectors.proof, hashes: vectors.proof.hashes.toReversed() }, '').status).toBe(1);
  });

  withCryptography('accept the signature of the pinned key, either of the two during a rotation, and no other', () => {
    for (const key of vectors.verifierKeys) expect(run(inclusion + signature, vectors.proof, key).status).toBe(0);
    const forged = vectors.proof.checkpoint.replace('\n5\n', '\n6\n');
    expect(
      run(
        signature.replace(/^/, 'import base64, json, sys\nproof = json.load(open(sys.argv[1]))\n'),
        { ...vectors.proof, checkpoint: forged },
        vectors.verifierKeys[0],
      ).status,
    ).toBe(1);
    const [name, hash] = vectors.verifierKeys[0].split('+');
    expect(
      run(inclusion + signature, vectors.proof, `${name}+${hash}+${vectors.verifierKeys[1].split('+')[2]}`).status,
    ).toBe(1);
  });
});

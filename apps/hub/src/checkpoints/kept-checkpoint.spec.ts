import { generateKeyPairSync } from 'node:crypto';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { CompactRange, consistencyProof, formatVerifierKey, leafHash, rootOf } from '@holdfast/tlog';
import { signCheckpoint, verifierKeyOf } from '@holdfast/tlog/signing';
import { compare, type KeptCheckpoint } from './kept-checkpoint.ts';

const origin = 'id.example/o/acme';
const { publicKey, privateKey } = generateKeyPairSync('ed25519');
const keys = [formatVerifierKey(verifierKeyOf(origin, publicKey))];

/** A log with these entries: its checkpoint at a size, and proofs between two sizes. */
function logOf(entries: readonly string[]) {
  const hashes = entries.map((entry) => leafHash(Buffer.from(entry)));
  const nodes = new Map<string, Uint8Array>();
  const range = CompactRange.empty();
  for (const hash of hashes) range.append(hash, (level, index, node) => nodes.set(`${level}/${index}`, node));
  const note = (size: number) => signCheckpoint({ origin, size, root: rootOf(hashes.slice(0, size)) }, privateKey);
  const proofOf = async (from: number, to: number) => {
    const proof = await consistencyProof(from, to, (subtrees) =>
      Promise.resolve(subtrees.map(({ level, index }) => nodes.get(`${level}/${index}`)!)),
    );
    return proof.map((hash) => Buffer.from(hash).toString('base64'));
  };
  return { note, proofOf };
}

const entries = Array.from({ length: 40 }, (_, i) => `entry ${i}`);
const log = logOf(entries);
const keptOf = (note: string): KeptCheckpoint => ({ note, at: '2026-11-28T09:00:00.000Z' });
const kindOf = async (...args: Parameters<typeof compare>) => (await compare(...args)).comparison.kind;

test('a log continues each checkpoint from before, and nothing is compared without one', async () => {
  expect(await compare(undefined, log.note(3), keys, log.proofOf)).toEqual({
    checkpoint: expect.objectContaining({ origin, size: 3 }) as object,
    comparison: { kind: 'first' },
  });
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.integer({ min: 1, max: 40 }), async (a, b) => {
      const [from, to] = [Math.min(a, b), Math.max(a, b)];
      const { comparison } = await compare(keptOf(log.note(from)), log.note(to), keys, log.proofOf);
      expect(comparison).toEqual(from === to ? { kind: 'same' } : { kind: 'continues', size: from });
    }),
  );
});

test('a log of which one earlier entry was changed is broken, whatever proof it sends', async () => {
  await fc.assert(
    fc.asyncProperty(fc.integer({ min: 1, max: 40 }), fc.nat(39), async (size, at) => {
      const forged = logOf(entries.with(at % size, 'forged'));
      for (const proofOf of [log.proofOf, forged.proofOf])
        expect(await kindOf(keptOf(log.note(size)), forged.note(40), keys, proofOf)).toBe('broken');
    }),
  );
});

test.each([
  ['a log that has become shorter', keptOf(log.note(9)), log.note(8)],
  ['a checkpoint of another key', keptOf(log.note(9)), otherKey(9)],
  ['a text that is no checkpoint', keptOf(log.note(9)), 'nothing'],
  ['a kept checkpoint that is damaged', keptOf('nothing'), log.note(9)],
])('%s is broken', async (_, kept, newest) => {
  expect(await kindOf(kept, newest, keys, log.proofOf)).toBe('broken');
});

test('a proof that is no Base64 is broken', async () => {
  expect(await kindOf(keptOf(log.note(3)), log.note(9), keys, () => Promise.resolve(['§']))).toBe('broken');
});

function otherKey(size: number): string {
  const root = rootOf(entries.slice(0, size).map((entry) => leafHash(Buffer.from(entry))));
  return signCheckpoint({ origin, size, root }, generateKeyPairSync('ed25519').privateKey);
}

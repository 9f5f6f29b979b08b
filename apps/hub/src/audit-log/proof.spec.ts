import { readFileSync } from 'node:fs';
import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { verdictOf } from './proof.ts';

/** The published example of a proof (docs/audit-proofs.md). */
const { proof, verifierKeys } = JSON.parse(readFileSync('docs/audit-proof-vectors.json', 'utf8')) as {
  proof: { id: string; seq: number; leaf: string; hashes: string[]; checkpoint: string };
  verifierKeys: string[];
};
const { action } = JSON.parse(Buffer.from(proof.leaf, 'base64').toString()) as { action: 'offer.create' };
const shown = { id: proof.id, seq: proof.seq, action };

test('a proof shows where the entry is, in a tree that the key of the log has signed', () => {
  const verdict = verdictOf(shown, proof, verifierKeys);
  expect(verdict).toMatchObject({
    kind: 'proven',
    hashes: proof.hashes.length,
    entry: { id: proof.id, seq: proof.seq },
  });
});

test.each([{ id: '019aa5f2-0000-7000-8000-000000000000' }, { seq: proof.seq + 1 }, { action: 'app.delete' as const }])(
  'a proof of another entry than the one that is shown is wrong: %j',
  (other) => expect(verdictOf({ ...shown, ...other }, proof, verifierKeys)).toEqual({ kind: 'wrong' }),
);

test('a proof with any byte of leaf or path changed is never proven', () => {
  fc.assert(
    fc.property(fc.nat(), fc.integer({ min: 1, max: 255 }), fc.nat(), (at, by, which) => {
      const texts = [proof.leaf, ...proof.hashes];
      const i = which % texts.length;
      const bytes = Buffer.from(texts[i]!, 'base64');
      bytes[at % bytes.length]! ^= by;
      const changed = texts.with(i, bytes.toString('base64'));
      const [leaf, ...hashes] = changed;
      expect(verdictOf(shown, { ...proof, leaf: leaf!, hashes } as never, verifierKeys).kind).not.toBe('proven');
    }),
  );
});

test('without the key of the log nothing is decided', () => {
  expect(verdictOf(shown, proof, []).kind).toBe('undecided');
});

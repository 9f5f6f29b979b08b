import { expect, it } from '@jest/globals';
import { leafHash, openCheckpoint, parseProofFile, parseVerifierKey, verifyInclusion } from '@holdfast/tlog';
import { checkpoint, entry, proof, proofFile, verifierKey } from './audit-examples.js';

it('the example proof of the API reference verifies', () => {
  const { size, root } = openCheckpoint(checkpoint, [parseVerifierKey(verifierKey)]);
  const file = parseProofFile(proofFile);
  expect(verifyInclusion({ index: file.index, size, leafHash: leafHash(file.extra!), proof: file.hashes, root })).toBe(
    true,
  );
  expect(leafHash(Buffer.from(proof.leaf, 'base64')).toString('base64')).toBe(entry.leafHash);
});

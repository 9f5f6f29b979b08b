import { expect, it } from '@jest/globals';
import { auditExamples, forwardedEndpoints } from '@holdfast/contracts/http';
import {
  formatProofFile,
  leafHash,
  openCheckpoint,
  parseProofFile,
  parseVerifierKey,
  verifyInclusion,
} from '@holdfast/tlog';

const { checkpoint, entry, proof, proofFile, verifierKey } = auditExamples;

it('the example proof of the API reference verifies', () => {
  const { size, root } = openCheckpoint(checkpoint, [parseVerifierKey(verifierKey)]);
  const file = parseProofFile(proofFile);
  expect(verifyInclusion({ index: file.index, size, leafHash: leafHash(file.extra!), proof: file.hashes, root })).toBe(
    true,
  );
  expect(leafHash(Buffer.from(proof.leaf, 'base64')).toString('base64')).toBe(entry.leafHash);
});

it('the text of a proof is the proof file of libs/tlog', () => {
  const { text } = forwardedEndpoints.auditProofs.find(({ endpoint }) => endpoint.id === 'getAuditProof')!;
  const hashes = proof.hashes.map((hash) => Buffer.from(hash, 'base64'));
  const extra = Buffer.from(proof.leaf, 'base64');
  expect(text!.of(proof)).toBe(proofFile);
  expect(text!.of(proof)).toBe(formatProofFile({ index: proof.seq - 1, hashes, checkpoint, extra }));
});

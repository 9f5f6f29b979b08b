import { createHash, createPublicKey, type KeyObject } from 'node:crypto';
import { ed25519KeyOf } from '@holdfast/platform';
import { CompactRange, formatVerifierKey, inclusionProof, leafHash, rootOf } from '@holdfast/tlog';
import { signCheckpoint, verifierKeyOf } from '@holdfast/tlog/signing';
import { leafOf } from '../append/leaf.js';
import { commitment, pseudonymOf } from '../privacy/pseudonyms.js';

const origin = 'id.example/o/acme/audit';

const customer = { value: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03', salt: Buffer.alloc(16, 1) };
const address = { value: '2001:db8::7', salt: Buffer.alloc(16, 2) };

function leaf(n: number, outcome: { replay?: true } = {}): Buffer {
  const id = `00000000-0000-4000-8000-00000000000${n}`;
  const request = {
    id,
    traceparent: `00-${'0'.repeat(31)}${n}-00f067aa0ba902b7-00`,
    method: 'POST',
    route: '/o/{shortId}/api/credentials/offers',
  };
  const record = {
    id,
    occurredAt: `2026-11-21T09:30:0${n}.000Z`,
    action: 'offer.create' as const,
    actor: { type: 'app' as const, id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'Müllers Läden' },
    targets: [{ type: 'customer' as const, id: customer.value, dataSubject: customer.value }],
    outcome: { result: 'success' as const, status: 201, ...outcome },
    request,
  };
  return leafOf(record, () => pseudonymOf(customer), { address }).bytes;
}

/** The content of docs/audit-proof-vectors.json: a log of five entries in the middle of a rotation of its key. */
export async function documentedVectors(): Promise<object> {
  const leaves = [1, 2, 3, 4, 5].map((n) => leaf(n));
  const replay = leaf(6, { replay: true });
  const hashes = leaves.map(leafHash);
  const range = CompactRange.empty();
  for (const hash of hashes) range.append(hash);
  const [current, previous] = [7, 8].map((byte) => ed25519KeyOf(Buffer.alloc(32, byte))) as [KeyObject, KeyObject];
  const [note, other] = [current, previous].map((key) =>
    signCheckpoint({ origin, size: 5, root: range.root() }, key),
  ) as [string, string];
  const checkpoint = note + other.slice(other.lastIndexOf('\n\n') + 2);
  const subtree = ({ level, index }: { level: number; index: number }) =>
    rootOf(hashes.slice(index * 2 ** level, (index + 1) * 2 ** level));
  const proof = await inclusionProof(2, 5, (subtrees) => Promise.resolve(subtrees.map(subtree)));
  const inBase64 = ({ value, salt }: typeof customer) => ({ value, salt: salt.toString('base64') });
  return {
    origin,
    verifierKeys: [current, previous].map((key) => formatVerifierKey(verifierKeyOf(origin, createPublicKey(key)))),
    proof: {
      id: '00000000-0000-4000-8000-000000000003',
      seq: 3,
      leaf: leaves[2]!.toString('base64'),
      hashes: proof.map((hash) => hash.toString('base64')),
      checkpoint,
    },
    leafHashes: hashes.map((hash) => hash.toString('base64')),
    replay: { leaf: replay.toString('base64'), leafHash: leafHash(replay).toString('base64') },
    pseudonym: {
      ...inBase64(customer),
      sha256: createHash('sha256').update(customer.salt).update(customer.value).digest('hex'),
      pseudonym: pseudonymOf(customer),
    },
    personal: { ...inBase64(address), hash: commitment(address).toString('base64url') },
  };
}

import { createHash, createPrivateKey, createPublicKey, type KeyObject } from 'node:crypto';
import { retentionOf, type AuditEvent, type ExportedAuditEntry } from '@holdfast/contracts';
import { CompactRange, leafHash, type VerifierKey } from '@holdfast/tlog';
import { signCheckpoint, verifierKeyOf } from '@holdfast/tlog/signing';

/** Exported logs for tests (docs/audit-proofs.md), the same in every run: nothing in them is random. */

export const origin = 'id.example/o/acme/audit';

export interface Signer {
  key: VerifierKey;
  privateKey: KeyObject;
}

/** @param seed 32 bytes, for the same key in every process */
export function newSigner(name = origin, seed = newBytes(32)): Signer {
  const privateKey = privateKeyOf(seed);
  return { key: verifierKeyOf(name, createPublicKey(privateKey)), privateKey };
}

/** The PKCS #8 prefix of the 32 bytes of an Ed25519 key (RFC 8410 §7). */
const pkcs8 = Buffer.from('302e020100300506032b657004220420', 'hex');

export const newPrivateKey = (): KeyObject => privateKeyOf(newBytes(32));

function privateKeyOf(seed: Buffer): KeyObject {
  return createPrivateKey({ key: Buffer.concat([pkcs8, seed]), format: 'der', type: 'pkcs8' });
}

let made = 0;

/** Up to 32 bytes that no earlier call has returned. */
function newBytes(size: number): Buffer {
  return createHash('sha256').update(`exported log ${made++}`).digest().subarray(0, size);
}

export function newUuid(): string {
  const hex = newBytes(16).toString('hex');
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-4${hex.slice(13, 16)}-8${hex.slice(17, 20)}-${hex.slice(20)}`;
}

export const commitment = (salt: Buffer, value: string) => createHash('sha256').update(salt).update(value).digest();

/** An entry as audit exports it: an offer to a customer, requested from an IP address. */
export function entryOf(seq: number, change: Partial<AuditEvent> = {}): ExportedAuditEntry {
  const ids = [newUuid(), newUuid()];
  const salts = ids.map(() => newBytes(16));
  const pseudonyms = ids.map((id, i) => commitment(salts[i]!, id).subarray(0, 16).toString('base64url'));
  const address = { value: '2001:db8::7', salt: newBytes(16) };
  const record = {
    id: newUuid(),
    occurredAt: new Date(1_763_700_000_000 + seq).toISOString(),
    action: 'offer.create' as const,
    actor: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'Müllers Läden' },
    targets: [
      { type: 'customer', id: pseudonyms[0]! },
      { type: 'offer', id: pseudonyms[1]! },
    ],
    outcome: { result: 'success', status: 201 },
    request: {
      id: newUuid(),
      traceparent: `00-${newBytes(16).toString('hex')}-${newBytes(8).toString('hex')}-01`,
      method: 'POST',
      route: '/o/{shortId}/api/credentials/offers',
    },
    personal: { address: commitment(address.salt, address.value).toString('base64url') },
    ...change,
  };
  return exported(
    seq,
    record,
    change.targets ? [] : pseudonyms.map((pseudonym, i) => ({ pseudonym, ...inBase64(ids[i]!, salts[i]!) })),
    { address: inBase64(address.value, address.salt) },
  );
}

export const inBase64 = (value: string, salt: Buffer) => ({ value, salt: salt.toString('base64') });

/** The members of a record that its columns are derived from. */
type LoggedRecord = Pick<AuditEvent, 'id' | 'occurredAt' | 'action'> & {
  actor: { id: string };
  targets: readonly { id: string }[];
  outcome: { result: string };
};

/** The exported entry of a record with these bytes. */
export function exported(
  seq: number,
  record: LoggedRecord,
  names: NonNullable<ExportedAuditEntry['names']> = [],
  personal: NonNullable<ExportedAuditEntry['personal']> = {},
): ExportedAuditEntry {
  const leaf = Buffer.from(JSON.stringify(record));
  return {
    seq,
    leaf: leaf.toString('base64'),
    leafHash: leafHash(leaf).toString('base64'),
    class: retentionOf(record.action),
    month: record.occurredAt.slice(0, 7),
    // Right when no earlier entry happened later.
    ...(seq % 256 === 0 && { lastAt: record.occurredAt }),
    found: {
      id: record.id,
      occurredAt: record.occurredAt,
      action: record.action,
      actor: record.actor.id,
      outcome: record.outcome.result,
      targets: record.targets.map(({ id }) => id),
    },
    names,
    personal,
  };
}

/** An entry after its drop: only its hash is left. */
export function dropped({ seq, leafHash: hash, class: name, month, lastAt }: ExportedAuditEntry): ExportedAuditEntry {
  return {
    seq,
    leafHash: hash,
    ...(name !== undefined && { class: name }),
    ...(month !== undefined && { month }),
    ...(lastAt !== undefined && { lastAt }),
  };
}

/** The record of a drop of these entries of changes in 2025-09. */
export function dropRecord(
  seq: number,
  seqs: number[],
  change: object = {},
  occurredAt = '2026-12-01T00:00:00.000Z',
): ExportedAuditEntry {
  const bytes = Buffer.concat(seqs.map((n) => Buffer.from(n.toString(16).padStart(16, '0'), 'hex')));
  const range = {
    first: seqs[0]!,
    last: seqs.at(-1)!,
    sha256: createHash('sha256').update(bytes).digest('base64'),
  };
  return entryOf(seq, {
    action: 'audit.drop',
    occurredAt,
    targets: [{ type: 'organization', id: 'acme' }],
    changes: {
      retention: { to: 'changes' },
      month: { to: '2025-09' },
      entries: { to: seqs.length },
      places: { to: range },
      ...change,
    },
  });
}

export function logOf(size: number): ExportedAuditEntry[] {
  return Array.from({ length: size }, (_, i) => entryOf(i + 1));
}

export function checkpointOf(entries: readonly ExportedAuditEntry[], { key, privateKey }: Signer): string {
  const range = CompactRange.empty();
  for (const entry of entries) range.append(Buffer.from(entry.leafHash, 'base64'));
  return signCheckpoint({ origin: key.name, size: entries.length, root: range.root() }, privateKey);
}

export function linesOfLog(entries: readonly ExportedAuditEntry[], checkpoint: string): object[] {
  return [
    { type: 'holdfast-audit-log', version: 1, origin },
    ...entries,
    { type: 'end', count: entries.length, lastSeq: entries.at(-1)?.seq ?? 0, checkpoint, lateMs: 0 },
  ];
}

import { createPublicKey } from 'node:crypto';
import type { Action, ExportedAuditEntry } from '@holdfast/contracts';
import { formatVerifierKey, withSignatureLines } from '@holdfast/tlog';
import { cosign, verifierKeyOf } from '@holdfast/tlog/signing';
import {
  checkpointOf,
  commitment,
  dropped,
  dropRecord,
  exported,
  inBase64,
  linesOfLog,
  newBytes,
  newPrivateKey,
  newSigner,
  newUuid,
} from './exported-log.js';

/** A change of one line, numbered from 1 as the lines are before this change. */
export type Edit = { line: number } & ({ replaceWith: string } | { insertAfter: string } | { remove: true });

export interface ExportVector {
  name: string;
  /** In this order. */
  edits: Edit[];
  keys: string[];
  checkpoint?: string;
  witnesses?: string[];
  quorum?: number;
  /** `message`: how the first finding begins, or the sentence that says why nothing is decided. */
  expected: { verdict: 'verified' | 'refuted' | 'undecided'; message?: string };
}

/** Test vectors for exports with proof: a log of 300 entries, and what becomes of it (docs/audit-proofs.md). */
export function exportVectors(): { log: string; vectors: { log: string; vectors: ExportVector[] } } {
  const signer = newSigner();
  const entries = logOf300();
  const note = checkpointOf(entries, signer);
  const lines = linesOfLog(entries, note).map((line) => JSON.stringify(line));
  const keys = [formatVerifierKey(signer.key)];
  const vector = (
    name: string,
    message: string | undefined,
    edits: Edit[],
    more: Partial<ExportVector> = {},
  ): ExportVector => ({
    name,
    edits,
    keys,
    ...more,
    expected: message === undefined ? { verdict: 'verified' } : { verdict: 'refuted', message },
  });
  const undecided = (name: string, message: string, more: Partial<ExportVector>, edits: Edit[] = []): ExportVector => ({
    ...vector(name, undefined, edits, more),
    expected: { verdict: 'undecided', message },
  });
  /** The line of an entry, changed. */
  const changed = (seq: number, change: Partial<ExportedAuditEntry>): Edit => ({
    line: seq + 1,
    replaceWith: JSON.stringify({ ...entries[seq - 1], ...change }),
  });
  const entry = (seq: number) => entries[seq - 1]!;
  const end = (change: object): Edit => ({
    line: 302,
    replaceWith: JSON.stringify({ ...(JSON.parse(lines[301]!) as object), ...change }),
  });
  const moved = (from: number, to: number) =>
    changed(to, { ...entry(from), seq: to, lastAt: undefined, month: entry(to).month });
  const [one, two] = ['one.example', 'two.example'].map((name) => {
    const privateKey = newPrivateKey();
    const key = verifierKeyOf(name, createPublicKey(privateKey), 'witness');
    const kept = checkpointOf(entries.slice(0, 256), signer);
    return { key: formatVerifierKey(key), line: cosign(kept, key, privateKey, new Date('2026-11-21T09:30:00Z')) };
  }) as [Cosigner, Cosigner];
  const kept = checkpointOf(entries.slice(0, 256), signer);
  const cosigned = withSignatureLines(kept, [one.line]);
  const witnesses = [one.key, two.key];
  const rewritten = exported(290, logged('event.list', 290, { outcome: { result: 'denied', status: 403 } }));
  const successor = newSigner();
  const bothKeys = [...keys, formatVerifierKey(successor.key)];
  const bySuccessor = checkpointOf(entries, successor);
  /** As during a rotation: signed by both keys. */
  const byBoth = withSignatureLines(note, [bySuccessor.trimEnd().split('\n').at(-1)!]);
  const broken = { detail: 'entries were changed', since: '2026-11-21T09:30:10.000Z', unsigned: 3 };
  const vectors = [
    vector('the whole log, with dropped and erased entries', undefined, []),
    vector('the whole log, with a kept checkpoint', undefined, [], { checkpoint: kept }),
    vector('a checkpoint that one of two witnesses has cosigned', undefined, [], {
      checkpoint: cosigned,
      witnesses,
      quorum: 1,
    }),
    vector('a changed entry', 'Entry 290 was changed: its bytes do not match its hash in the tree.', [
      changed(290, { leaf: rewritten.leaf, found: rewritten.found }),
    ]),
    vector('a changed entry with its hash', 'Entries 1 to 300 are not the ones that the newest checkpoint covers', [
      changed(290, rewritten),
    ]),
    vector(
      'a changed entry with its hash, after a kept checkpoint',
      'Entries 257 to 300 are not the ones that the newest checkpoint covers',
      [changed(290, rewritten)],
      { checkpoint: kept },
    ),
    vector('an entry removed', 'Entry 200 is missing: 199 is followed by 201.', [{ line: 201, remove: true }]),
    vector('an entry twice', 'Entry 200 exists twice', [{ line: 201, insertAfter: lines[200]! }]),
    vector('two entries exchanged', 'Entry 180 is at the wrong index: its content was logged as entry 181.', [
      changed(180, { ...entry(181), seq: 180, leafHash: entry(180).leafHash }),
      changed(181, { ...entry(180), seq: 181, leafHash: entry(181).leafHash }),
    ]),
    vector('an entry at the place of another one, with its hash', 'Entry 200 has the id of an earlier entry', [
      moved(190, 200),
    ]),
    vector('without its last line', 'The file ends after entry 300 without its last line: it was truncated.', [
      { line: 302, remove: true },
    ]),
    vector('without its newest entry', 'The file has 299 entries up to 299, but its last line says 300 up to 300.', [
      { line: 301, remove: true },
    ]),
    vector(
      'without its newest entry, with a fitting last line',
      'The log ends at 299, but the newest checkpoint covers 300',
      [end({ count: 299, lastSeq: 299 }), { line: 301, remove: true }],
    ),
    vector(
      'the checkpoint of another signer with the same name',
      'The newest checkpoint is not valid. No key that is trusted has signed it.',
      [end({ checkpoint: checkpointOf(entries, newSigner()) })],
    ),
    vector('bytes in base64 that is not canonical', 'Entry 290 cannot be read: its bytes are not in base64', [
      changed(290, { leaf: `${entry(290).leaf} ` }),
    ]),
    vector('another action in the columns', 'Entry 290 has a wrong action column: it says "event.read"', [
      changed(290, { found: { ...entry(290).found!, action: 'event.read' } }),
    ]),
    vector('another customer in a mapping', 'Entry 130 names somebody other than was logged', [
      changed(130, { names: [{ ...entry(130).names![0]!, value: newUuid() }] }),
    ]),
    vector('another address', 'Entry 130 shows another address than was logged', [
      changed(130, { personal: { address: { ...entry(130).personal!.address!, value: '2001:db8::8' } } }),
    ]),
    vector('a mapping and an address removed, as if erased', 'Entry 130 has a pseudonym without a mapping', [
      changed(130, { names: [], personal: {} }),
    ]),
    vector('bytes removed without a record', '1 entry of class reads and month 2026-11 has no bytes, at seq 290', [
      { line: 291, replaceWith: JSON.stringify(dropped(entry(290))) },
    ]),
    vector(
      'a dropped entry with the class of another one',
      '1 entry of class changes and month 2025-09 has no bytes, at seq 7',
      [changed(7, { class: 'changes' })],
    ),
    undecided('another pinned key', 'LOG is the log id.example/o/acme/audit, but the pinned key belongs to', {
      keys: [formatVerifierKey(newSigner('id.example/o/globex/audit').key)],
    }),
    undecided('a checkpoint that too few witnesses have cosigned', 'The checkpoint CHECKPOINT is not valid. Of its', {
      checkpoint: cosigned,
      witnesses,
    }),
    vector('during a rotation, a checkpoint of both keys, of which one is pinned', undefined, [
      end({ checkpoint: byBoth }),
    ]),
    vector(
      'after a rotation, a checkpoint of the new key, with one that was kept before and both keys pinned',
      undefined,
      [end({ checkpoint: bySuccessor })],
      { keys: bothKeys, checkpoint: kept },
    ),
    vector(
      'after a rotation, a checkpoint of the new key, which is not pinned',
      'The newest checkpoint is not valid. No key that is trusted has signed it.',
      [end({ checkpoint: bySuccessor })],
    ),
    vector('a log that cannot be signed any more', `The log cannot be signed any more since ${broken.since}`, [
      end({ broken }),
    ]),
    vector(
      'a log that cannot be signed any more, without a checkpoint',
      `The log cannot be signed any more since ${broken.since}`,
      [end({ broken, checkpoint: '' })],
    ),
    undecided('an export without proof', 'LOG is not an exported log with proof', {}, [
      { line: 1, replaceWith: JSON.stringify({ seq: 1, id: newUuid(), action: 'event.list' }) },
    ]),
  ];
  return { log: lines.map((line) => `${line}\n`).join(''), vectors: { log: 'log.ndjson', vectors } };
}

/** The lines of a vector's file. */
export function edited(lines: readonly string[], edits: readonly Edit[]): string[] {
  return edits.reduce(
    (all: string[], edit) =>
      'remove' in edit
        ? all.toSpliced(edit.line - 1, 1)
        : 'insertAfter' in edit
          ? all.toSpliced(edit.line, 0, edit.insertAfter)
          : all.with(edit.line - 1, edit.replaceWith),
    [...lines],
  );
}

interface Cosigner {
  key: string;
  line: string;
}

interface Subject {
  id: string;
  salt: Buffer;
}

/**
 * 300 entries, so that the tree has more than one tile: 1 to 120 were dropped, as 121 says; 130 names a customer, and
 * 140 one who was erased by 150; 160 was appended after that.
 */
function logOf300(): ExportedAuditEntry[] {
  const [customer, erased] = [0, 1].map(() => ({ id: newUuid(), salt: newBytes(16) })) as [Subject, Subject];
  const address = { value: '2001:db8::7', salt: newBytes(16) };
  const offerTo = (pseudonym: string) => ({
    targets: [{ type: 'customer', id: pseudonym }],
    personal: { address: commitment(address.salt, address.value).toString('base64url') },
  });
  const late = newBytes(16).toString('base64url');
  const special: Record<number, () => ExportedAuditEntry> = {
    121: () => dropRecord(121, seqsTo(120), { retention: { to: 'reads' } }, timeOf(121)),
    130: () =>
      exported(
        130,
        logged('offer.create', 130, offerTo(pseudonymOf(customer))),
        [{ pseudonym: pseudonymOf(customer), ...inBase64(customer.id, customer.salt) }],
        { address: inBase64(address.value, address.salt) },
      ),
    140: () => exported(140, logged('offer.create', 140, offerTo(pseudonymOf(erased)))),
    150: () =>
      exported(150, logged('subject.erase', 150, { targets: [{ type: 'customer', id: pseudonymOf(erased) }] })),
    160: () => exported(160, logged('offer.create', 160, { ...offerTo(late), erased: [late] })),
  };
  return seqsTo(300).map((seq) => {
    const entry = special[seq]?.() ?? exported(seq, logged('event.list', seq));
    return seq <= 120 ? dropped(entry) : entry;
  });
}

const seqsTo = (last: number): number[] => Array.from({ length: last }, (_, i) => i + 1);
const pseudonymOf = ({ id, salt }: Subject) => commitment(salt, id).subarray(0, 16).toString('base64url');

/** The first 120 in September of the year before, so that their retention has ended. */
function timeOf(seq: number): string {
  return new Date(Date.parse(seq <= 120 ? '2025-09-01T00:00:00Z' : '2026-11-20T00:00:00Z') + 1000 * seq).toISOString();
}

interface More {
  targets?: { type: string; id: string }[];
  outcome?: object;
  personal?: object;
  erased?: string[];
}

function logged(action: Action, seq: number, more: More = {}) {
  return {
    id: newUuid(),
    occurredAt: timeOf(seq),
    action,
    actor: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'Müllers Läden' },
    targets: [] as { type: string; id: string }[],
    ...more,
    outcome: { result: 'success', status: 200, ...more.outcome },
  };
}

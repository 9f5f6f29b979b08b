import { createPublicKey } from 'node:crypto';
import { formatVerifierKey, withSignatureLines } from '@holdfast/tlog';
import { cosign, verifierKeyOf } from '@holdfast/tlog/signing';
import { newPrivateKey, newSigner, newUuid } from './exported-log.js';
import type { ExportVector, VectorMaker } from './vector-maker.js';

/** The signature lines of a note. */
const signaturesOf = (note: string) => note.slice(note.lastIndexOf('\n\n') + 2);

function cosignerOf(name: string, kept: string): { key: string; line: string } {
  const privateKey = newPrivateKey();
  const key = verifierKeyOf(name, createPublicKey(privateKey), 'witness');
  return { key: formatVerifierKey(key), line: cosign(kept, key, privateKey, new Date('2026-11-21T09:30:00Z')) };
}

/** Keys, checkpoints and what they cover. */
export function checkpointVectors(make: VectorMaker): ExportVector[] {
  const { log, bothKeys: keys } = make;
  const { size } = log;
  const kept = log.checkpoint(256);
  const [one, two] = ['one.example', 'two.example'].map((name) => cosignerOf(name, kept)) as [
    ReturnType<typeof cosignerOf>,
    ReturnType<typeof cosignerOf>,
  ];
  const cosigned = withSignatureLines(kept, [one.line]);
  const witnesses = [one.key, two.key];
  const newest = (JSON.parse(log.lines.at(-1)!) as { checkpoint: string }).checkpoint;
  const other = newSigner(log.signer.key.name);
  const byOther = log.checkpoint(size, log.entries, other);
  const wrong = signaturesOf(log.checkpoint(size - 1));
  const older = log.checkpoint(141);
  const rest = `Entries 142 to ${size} come after the newest checkpoint, which covers 141: nobody has signed them.`;
  const last = log.entry(size);
  const ids = { id: newUuid() };
  const appended = { ...log.withLeaf(last, { ...log.leafOf(last), ...ids }, ids), seq: size + 1 };
  const notSigned = `Entries ${size + 1} to ${size + 1} come after the newest checkpoint`;
  const behind = { line: size + 1, insertAfter: JSON.stringify(appended) };
  const broken = { detail: 'entries were changed', since: '2026-11-21T09:30:10.000Z', unsigned: 3 };
  const notValid = 'The newest checkpoint is not valid.';
  const [key = ''] = keys;
  const globex = formatVerifierKey(newSigner('id.example/o/globex/audit').key);
  return [
    make.verified('the whole log, with dropped and erased entries'),
    make.verified('the whole log, with a kept checkpoint', [], { keys, checkpoint: kept }),
    make.verified('a checkpoint that one of two witnesses has cosigned', [], {
      keys,
      checkpoint: cosigned,
      witnesses,
      quorum: 1,
    }),
    make.undecided(
      'a checkpoint that too few witnesses have cosigned',
      'The checkpoint CHECKPOINT is not valid. Of its',
      {
        keys,
        checkpoint: cosigned,
        witnesses,
      },
    ),
    make.undecided('a witness twice', 'A witness is given twice', {
      keys,
      checkpoint: cosigned,
      witnesses: [one.key, one.key],
    }),
    make.undecided(
      'a cosignature of another checkpoint',
      'The checkpoint CHECKPOINT is not valid. The cosignature by one.example is wrong',
      { keys, checkpoint: withSignatureLines(log.checkpoint(255), [one.line]), witnesses, quorum: 1 },
    ),
    make.undecided('another pinned key', `LOG is the log ${log.signer.key.name}, but the pinned key belongs to`, {
      keys: [globex],
    }),
    make.undecided('keys of two logs', `LOG is the log ${log.signer.key.name}, but the pinned key belongs to`, {
      keys: [key, globex],
    }),
    make.undecided('a key with the hash of another one', 'The hash in a verifier key does not belong to', {
      keys: [key.replace(/\+[0-9a-f]{8}\+/, '+00000000+')],
    }),
    make.undecided('an export without proof', 'LOG is not an exported log with proof', {}, [
      { line: 1, replaceWith: JSON.stringify({ seq: 1, id: newUuid(), action: 'event.list' }) },
    ]),
    make.undecided('a later version of the format', 'LOG is an exported log of version 2', {}, [
      { line: 1, replaceWith: log.lines[0]!.replace('"version":1', '"version":2') },
    ]),
    make.undecided('an unknown member in the first line', 'LOG is not an exported log with proof', {}, [
      { line: 1, replaceWith: log.lines[0]!.replace('{', '{"x":1,') },
    ]),
    make.refuted('an older checkpoint', rest, [log.end({ checkpoint: older })], make.bySigner),
    make.refuted(
      'an older checkpoint, and its size in the last line',
      rest,
      [log.end({ checkpoint: older, count: 141, lastSeq: 141 })],
      make.bySigner,
    ),
    make.refuted('an entry behind the checkpoint', notSigned, [
      log.end({ count: size + 1, lastSeq: size + 1 }),
      behind,
    ]),
    make.refuted('an entry behind the checkpoint, which the last line does not count', notSigned, [behind]),
    make.refuted('the checkpoint of another signer with the same name', `${notValid} No key that is trusted`, [
      log.end({ checkpoint: byOther }),
    ]),
    make.verified('a signature of a key that is not pinned, beside that of the pinned key', [
      log.end({ checkpoint: newest + signaturesOf(byOther) }),
    ]),
    make.refuted(
      'a wrong signature of the pinned key, beside a right one',
      `${notValid} The signature by ${log.signer.key.name} is wrong`,
      [log.end({ checkpoint: log.checkpoint() + wrong })],
      make.bySigner,
    ),
    make.undecided(
      'a kept checkpoint with a wrong signature of a pinned key, beside a right one',
      'The checkpoint CHECKPOINT is not valid. The signature by',
      { keys, checkpoint: kept + wrong },
    ),
    make.undecided('a kept checkpoint of another signer', 'The checkpoint CHECKPOINT is not valid. No key', {
      checkpoint: kept,
    }),
    make.refuted(
      'a kept checkpoint of another history',
      'Entries 1 to 256 are not the ones that the checkpoint CHECKPOINT covers',
      [],
      { keys, checkpoint: log.checkpoint(256, log.entries.with(6, log.entry(8))) },
    ),
    make.refuted(
      'without its newest entry, but with a kept checkpoint that covers it',
      `The log ends at ${size - 1}, but the checkpoint CHECKPOINT covers ${size}`,
      [
        log.end({ count: size - 1, lastSeq: size - 1, checkpoint: log.checkpoint(size - 1) }),
        { line: size + 1, remove: true },
      ],
      { keys, checkpoint: log.checkpoint() },
    ),
    make.verified('during a rotation, a checkpoint of both keys, of which one is pinned', [
      log.end({ checkpoint: withSignatureLines(newest, [signaturesOf(log.checkpoint()).trimEnd()]) }),
    ]),
    make.verified(
      'after a rotation, a checkpoint of the new key, with one that was kept before and both keys pinned',
      [log.end({ checkpoint: log.checkpoint() })],
      { keys, checkpoint: newest },
    ),
    make.refuted(
      'after a rotation, a checkpoint of the new key, which is not pinned',
      `${notValid} No key that is trusted has signed it.`,
      [log.end({ checkpoint: log.checkpoint() })],
    ),
    make.refuted('a log that cannot be signed any more', `The log cannot be signed any more since ${broken.since}`, [
      log.end({ broken }),
    ]),
    make.refuted(
      'a log that cannot be signed any more, without a checkpoint',
      `The log cannot be signed any more since ${broken.since}`,
      [log.end({ broken, checkpoint: '' })],
    ),
  ];
}

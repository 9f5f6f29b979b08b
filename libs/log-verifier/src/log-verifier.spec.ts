import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AuditEvent, ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, entryOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { leafHash, openCheckpoint } from '@holdfast/tlog';
import type { KeptCheckpoint } from './log-verifier.js';
import { verdictOf } from './verdict.fixture.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
const kept = (size: number, of = entries, by = signer): KeptCheckpoint => ({
  name: `at-${size}`,
  checkpoint: openCheckpoint(checkpointOf(of.slice(0, size), by), [by.key]),
});
const verify = (log: readonly ExportedAuditEntry[], checkpoints: KeptCheckpoint[] = [], newest = note) =>
  verdictOf(log, newest, [signer.key], checkpoints);
/** The log with one changed entry. */
const changed = (seq: number, change: (entry: ExportedAuditEntry) => Partial<ExportedAuditEntry>) =>
  entries.map((entry) => (entry.seq === seq ? { ...entry, ...change(entry) } : entry));
const rewrittenLeaf = (
  entry: ExportedAuditEntry,
  change: (record: AuditEvent) => object,
): { leaf: string; leafHash: string } => {
  const record = JSON.parse(Buffer.from(entry.leaf!, 'base64').toString()) as AuditEvent;
  const leaf = Buffer.from(JSON.stringify({ ...record, ...change(record) }));
  return { leaf: leaf.toString('base64'), leafHash: leafHash(leaf).toString('base64') };
};

test('an unchanged log verifies, and is consistent with all kept checkpoints', () => {
  expect(verify(entries)).toEqual({
    verified: true,
    findings: [],
    more: 0,
    origin: 'id.example/o/acme/audit',
    entries: 44,
    newest: { size: 44, root: note.split('\n')[2]! },
    dropped: 0,
    unprovable: 0,
    onlyUnprovable: false,
    notes: [],
    continues: [],
  });
  expect(verify(entries, [kept(44), kept(1), kept(31), kept(0)]).continues).toEqual(['at-0', 'at-1', 'at-31', 'at-44']);
  expect(verify([], [], checkpointOf([], signer)).verified).toBe(true);
});

describe('the first finding names the tampered entry and the change:', () => {
  const expectFirst = (
    log: readonly ExportedAuditEntry[],
    sentence: string,
    checkpoints: KeptCheckpoint[] = [],
    newest = note,
  ) => {
    const { verified, findings } = verify(log, checkpoints, newest);
    expect(verified).toBe(false);
    expect(findings[0]).toContain(sentence);
  };

  test('a changed leaf', () => {
    expectFirst(
      changed(17, (e) => ({ leaf: rewrittenLeaf(e, () => ({ action: 'offer.withdraw' })).leaf })),
      'Entry 17 was changed: its bytes do not match its hash in the tree.',
    );
  });

  test('a leaf changed with its hash, between two checkpoints', () => {
    const log = changed(17, (e) => rewrittenLeaf(e, () => ({ outcome: { result: 'denied' } }))).map((e) =>
      e.seq === 17 ? { ...e, found: { ...e.found!, outcome: 'denied' } } : e,
    );
    expectFirst(log, 'Entries 1 to 44 are not the ones that the newest checkpoint covers');
    expectFirst(
      log,
      'Entries 11 to 20 are not the ones that the checkpoint at-20 covers: the log was rewritten there, including ' +
        'its hashes. Up to entry 10 the log is as it was signed.',
      [kept(10), kept(20), kept(30)],
    );
    expectFirst(log, 'Entry 17 is not the one that the checkpoint at-17 covers', [kept(16), kept(17)]);
  });

  test.each<[string, (found: NonNullable<ExportedAuditEntry['found']>) => object, string]>([
    [
      'time',
      () => ({ occurredAt: '2026-01-01T00:00:00.000Z' }),
      'wrong time column: it says "2026-01-01T00:00:00.000Z"',
    ],
    [
      'action',
      () => ({ action: 'subject.read' }),
      'wrong action column: it says "subject.read", but the logged entry says "offer.create"',
    ],
    ['actor', () => ({ actor: 'app_x' }), 'wrong actor column'],
    ['outcome', () => ({ outcome: 'denied' }), 'wrong outcome column'],
    ['id', () => ({ id: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03' }), 'wrong id column'],
    ['a removed target', ({ targets }) => ({ targets: targets.slice(1) }), 'wrong targets column'],
    ['another target', ({ targets }) => ({ targets: [targets[0], 'x'] }), 'wrong targets column'],
  ])('a changed column: %s', (_, change, sentence) => {
    expectFirst(
      changed(17, ({ found }) => ({ found: { ...found!, ...change(found!) } })),
      `Entry 17 has a ${sentence}`,
    );
  });

  test('removed columns', () => {
    expectFirst(
      changed(17, () => ({ found: undefined })),
      'Entry 17 has no columns',
    );
  });

  test('a changed pseudonym mapping', () => {
    const wrong = (change: object) =>
      changed(17, ({ names }) => ({ names: names!.map((name) => ({ ...name, ...change })) }));
    expectFirst(
      wrong({ value: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10' }),
      'Entry 17 names somebody other than was logged',
    );
    expectFirst(wrong({ salt: 'AAAA' }), 'Entry 17 has a mapping for the pseudonym');
    expectFirst(
      changed(17, ({ names }) => ({
        names: [...names!, { pseudonym: 'AAAAAAAAAAAAAAAAAAAAAA', value: 'x', salt: 'AAAA' }],
      })),
      'Entry 17 has a mapping for the pseudonym AAAAAAAAAAAAAAAAAAAAAA, which is not in the entry.',
    );
  });

  test('a changed personal value', () => {
    expectFirst(
      changed(17, ({ personal }) => ({ personal: { address: { ...personal!.address!, value: '2001:db8::8' } } })),
      'Entry 17 shows another address than was logged',
    );
    expectFirst(
      changed(17, ({ personal }) => ({ personal: { userAgent: personal!.address! } })),
      'Entry 17 shows another userAgent than was logged',
    );
  });

  test('entries that are missing: in the middle, at the end, all', () => {
    expectFirst(entries.toSpliced(16, 1), 'Entry 17 is missing: 16 is followed by 18.');
    expectFirst(entries.toSpliced(16, 3), 'Entries 17 to 19 are missing: 16 is followed by 20.');
    expectFirst(
      entries.slice(0, 41),
      'The log ends at 41, but the newest checkpoint covers 44: at least 3 entries are missing.',
    );
    expectFirst(
      entries.slice(0, 43),
      'The log ends at 43, but the newest checkpoint covers 44: at least 1 entry is missing.',
    );
    expectFirst([], 'The log ends at 0, but the newest checkpoint covers 44');
  });

  test('removed newest entries with a new checkpoint', () => {
    const short = entries.slice(0, 41);
    expectFirst(
      short,
      'The log ends at 41, but the checkpoint at-44 covers 44: at least 3 entries are missing.',
      [kept(44)],
      checkpointOf(short, signer),
    );
  });

  test('inserted, appended and moved entries', () => {
    expectFirst(entries.toSpliced(17, 0, entryOf(17)), 'Entry 17 exists twice: one of the two was inserted.');
    // The database may return the two in either order.
    const other = { ...entryOf(4), seq: 17, leafHash: entries[16]!.leafHash };
    for (const at of [16, 17])
      expectFirst(entries.toSpliced(at, 0, other), 'Entry 17 exists twice: one of the two was inserted.');
    expectFirst(
      [...entries, entryOf(45)],
      'Entries 45 to 45 come after the newest checkpoint, which covers 44: nobody has signed them.',
    );
    const moved = entries.map((e) =>
      e.seq === 17
        ? { ...entries[22]!, seq: 17, leafHash: e.leafHash }
        : e.seq === 23
          ? { ...entries[16]!, seq: 23, leafHash: e.leafHash }
          : e,
    );
    expect(verify(moved).findings).toEqual([
      'Entry 17 is at the wrong index: its content was logged as entry 23.',
      'Entry 23 is at the wrong index: its content was logged as entry 17.',
    ]);
    expectFirst([...entries.slice(0, 16), entries[22]!, ...entries.slice(17)], 'Entries 17 to 22 are missing');
  });

  test('an inserted entry with all later entries renumbered and new hashes', () => {
    const log = [...entries.slice(0, 16), entryOf(17), ...entries.slice(16).map((e) => ({ ...e, seq: e.seq + 1 }))];
    expectFirst(
      log,
      'Entries 17 to 20 are not the ones that the checkpoint at-20 covers',
      [kept(16), kept(20)],
      checkpointOf(log, signer),
    );
  });

  test('the same event twice', () => {
    const log = [...entries.slice(0, 43), { ...entries[2]!, seq: 44 }];
    expectFirst(log, 'Entry 44 has the id of an earlier entry', [], checkpointOf(log, signer));
  });

  test("another history, signed by the log's own key", () => {
    const fork = [...entries.slice(0, 30), ...logOf(50).slice(30)];
    expect(verify(fork, [kept(30)], checkpointOf(fork, signer)).verified).toBe(true);
    expectFirst(
      fork,
      'Entries 31 to 44 are not the ones that the checkpoint at-44 covers: the log was rewritten there, including ' +
        'its hashes. Up to entry 30 the log is as it was signed.',
      [kept(30), kept(44)],
      checkpointOf(fork, signer),
    );
  });

  test('another history, signed by somebody else, or as another log', () => {
    expectFirst(
      entries,
      'The newest checkpoint is not valid. No key that is trusted has signed it. Either the pinned key belongs to ' +
        'another',
      [],
      checkpointOf(entries, newSigner()),
    );
    expectFirst(
      entries,
      'The newest checkpoint is not valid. The signature by id.example/o/acme/audit is wrong',
      [],
      note.replace('\n44\n', '\n45\n'),
    );
    expectFirst(entries, 'The newest checkpoint is not valid. It is not a signed note', [], 'x');
  });

  test('unreadable entries', () => {
    expectFirst(
      changed(17, () => ({ leafHash: 'AAAA' })),
      'Entry 17 cannot be read: its leafHash is not 32 bytes in base64.',
    );
    const leaf = Buffer.from('{"id":');
    expectFirst(
      changed(17, () => ({ leaf: leaf.toString('base64'), leafHash: leafHash(leaf).toString('base64') })),
      'Entry 17 cannot be read',
    );
    expectFirst(
      changed(17, (e) => ({ leaf: `${e.leaf}\t` })),
      'Entry 17 cannot be read: its bytes are not in base64.',
    );
    expectFirst(
      changed(17, () => ({ leafHash: 7 as unknown as string })),
      'Entry 17 cannot be read',
    );
    expectFirst(
      changed(17, () => ({ seq: 'x' as unknown as number })),
      'Entry 16 is followed by an entry without a valid seq.',
    );
  });

  test('any changed bit in any entry', () => {
    const where = fc.record({
      at: fc.nat(43),
      bit: fc.nat(7),
      field: fc.constantFrom('leaf', 'leafHash', 'value', 'salt', 'address'),
    });
    fc.assert(
      fc.property(where, fc.nat(), ({ at, bit, field }, position) => {
        const flip = (text: string, encoding: BufferEncoding) => {
          const bytes = Buffer.from(text, encoding);
          bytes[position % bytes.length]! ^= 1 << (bit % (encoding === 'utf8' ? 6 : 8));
          return bytes.toString(encoding);
        };
        const log = changed(at + 1, (e) => {
          if (field === 'leaf' || field === 'leafHash') return { [field]: flip(e[field]!, 'base64') };
          if (field === 'address')
            return {
              personal: { address: { ...e.personal!.address!, value: flip(e.personal!.address!.value, 'utf8') } },
            };
          const [first, ...rest] = e.names!;
          return {
            names: [
              { ...first!, [field]: flip(first![field as 'value'], field === 'salt' ? 'base64' : 'utf8') },
              ...rest,
            ],
          };
        });
        const { verified, findings } = verify(log);
        expect([verified, findings[0]?.startsWith(`Entry ${at + 1} `)]).toEqual([false, true]);
      }),
      { numRuns: 200 },
    );
  });
});

describe('a log does not verify without allowUnprovable when it has', () => {
  const allowed = (log: readonly ExportedAuditEntry[]) =>
    verdictOf(log, note, [signer.key], [], { allowUnprovable: true });

  test('pseudonym mappings without a salt', () => {
    const log = changed(17, ({ names }) => ({ names: names!.map((name) => ({ ...name, salt: '' })) }));
    expect(verify(log)).toMatchObject({
      verified: false,
      unprovable: 2,
      findings: [expect.stringContaining('Entry 17 has the first of 2 pseudonym mappings without a salt')],
    });
    expect(allowed(log)).toMatchObject({ verified: true, unprovable: 2 });
  });

  test('missing personal values of a data subject whose pseudonym has a mapping', () => {
    const log = changed(17, () => ({ personal: undefined }));
    expect(verify(log)).toMatchObject({
      verified: false,
      findings: [expect.stringContaining('Entry 17 withholds an address, user agent or reason that was logged')],
    });
    expect(allowed(log)).toMatchObject({ verified: true, unprovable: 1 });
    expect(verify(log).onlyUnprovable).toBe(true);
  });
});

test('lists 20 findings at most and counts the others', () => {
  const { findings, more } = verify(entries.map((e) => ({ ...e, found: { ...e.found!, action: 'x' } })));
  expect([findings.length, more]).toEqual([20, 24]);
});

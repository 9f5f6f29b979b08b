import { describe, expect, test } from '@jest/globals';
import fc from 'fast-check';
import type { AuditEvent, ExportedAuditEntry } from '@holdfast/contracts';
import { leafHash, openCheckpoint } from '@holdfast/tlog';
import { checkpointOf, dropRecord, entryOf, logOf, newSigner, verdictOf, without } from '../log.fixture.js';
import type { KeptCheckpoint } from './log-verifier.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
const kept = (size: number, of = entries, by = signer): KeptCheckpoint => ({
  name: `at-${size}`,
  checkpoint: openCheckpoint(checkpointOf(of.slice(0, size), by), [by.key]),
});
const verify = (log: readonly ExportedAuditEntry[], checkpoints: KeptCheckpoint[] = [], newest = note) =>
  verdictOf(log, newest, [signer.key], checkpoints);
/** With one entry in another form. */
const changed = (seq: number, change: (entry: ExportedAuditEntry) => Partial<ExportedAuditEntry>) =>
  entries.map((entry) => (entry.seq === seq ? { ...entry, ...change(entry) } : entry));
const rewritten = (
  entry: ExportedAuditEntry,
  change: (record: AuditEvent) => object,
): { leaf: string; leafHash: string } => {
  const record = JSON.parse(Buffer.from(entry.leaf!, 'base64').toString()) as AuditEvent;
  const leaf = Buffer.from(JSON.stringify({ ...record, ...change(record) }));
  return { leaf: leaf.toString('base64'), leafHash: leafHash(leaf).toString('base64') };
};

test('a log as it was signed', () => {
  expect(verify(entries)).toEqual({
    verified: true,
    findings: [],
    more: 0,
    origin: 'id.example/o/acme/audit',
    entries: 44,
    dropped: 0,
    unprovable: 0,
    onlyUnprovable: false,
    notes: [],
    continues: [],
  });
  expect(verify(entries, [kept(44), kept(1), kept(31), kept(0)]).continues).toEqual(['at-0', 'at-1', 'at-31', 'at-44']);
  expect(verify([], [], checkpointOf([], signer)).verified).toBe(true);
});

describe('what was tampered with, and where', () => {
  const says = (
    log: readonly ExportedAuditEntry[],
    sentence: string,
    checkpoints: KeptCheckpoint[] = [],
    newest = note,
  ) => {
    const { verified, findings } = verify(log, checkpoints, newest);
    expect(verified).toBe(false);
    expect(findings[0]).toContain(sentence);
  };

  test('a leaf', () => {
    says(
      changed(17, (e) => ({ leaf: rewritten(e, () => ({ action: 'offer.withdraw' })).leaf })),
      'Entry 17 was changed: its bytes do not have the hash that the tree holds for it.',
    );
  });

  test('a leaf and its hash: between which checkpoints', () => {
    const log = changed(17, (e) => rewritten(e, () => ({ outcome: { result: 'denied' } }))).map((e) =>
      e.seq === 17 ? { ...e, found: { ...e.found!, outcome: 'denied' } } : e,
    );
    says(log, 'Entries 1 to 44 are not those that the newest checkpoint was signed for');
    says(
      log,
      'Entries 11 to 20 are not those that the checkpoint at-20 was signed for: the log was rewritten there, its hashes with it. Up to 10 it is as it was signed.',
      [kept(10), kept(20), kept(30)],
    );
    says(log, 'Entry 17 is not the one that the checkpoint at-17 was signed for', [kept(16), kept(17)]);
  });

  test.each<[string, (found: NonNullable<ExportedAuditEntry['found']>) => object, string]>([
    [
      'time',
      () => ({ occurredAt: '2026-01-01T00:00:00.000Z' }),
      'wrong time: the column says "2026-01-01T00:00:00.000Z"',
    ],
    [
      'action',
      () => ({ action: 'subject.read' }),
      'wrong action: the column says "subject.read", and what was logged says "offer.create"',
    ],
    ['actor', () => ({ actor: 'app_x' }), 'wrong actor'],
    ['outcome', () => ({ outcome: 'denied' }), 'wrong outcome'],
    ['id', () => ({ id: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03' }), 'wrong id'],
    ['one target less', ({ targets }) => ({ targets: targets.slice(1) }), 'wrong targets'],
    ['another target', ({ targets }) => ({ targets: [targets[0], 'x'] }), 'wrong targets'],
  ])('a column: %s', (_, change, sentence) => {
    says(
      changed(17, ({ found }) => ({ found: { ...found!, ...change(found!) } })),
      `Entry 17 is found by the ${sentence}`,
    );
  });

  test('columns that are gone', () => {
    says(
      changed(17, () => ({ found: undefined })),
      'Entry 17 comes without the columns',
    );
  });

  test('a name', () => {
    const wrong = (change: object) =>
      changed(17, ({ names }) => ({ names: names!.map((name) => ({ ...name, ...change })) }));
    says(wrong({ value: '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10' }), 'Entry 17 names somebody else than was logged');
    says(wrong({ salt: 'AAAA' }), 'Entry 17 names somebody else than was logged');
    says(
      changed(17, ({ names }) => ({
        names: [...names!, { pseudonym: 'AAAAAAAAAAAAAAAAAAAAAA', value: 'x', salt: 'AAAA' }],
      })),
      'Entry 17 opens the pseudonym AAAAAAAAAAAAAAAAAAAAAA, which does not stand in it.',
    );
  });

  test('a personal value', () => {
    says(
      changed(17, ({ personal }) => ({ personal: { address: { ...personal!.address!, value: '2001:db8::8' } } })),
      'Entry 17 shows another address than was logged',
    );
    says(
      changed(17, ({ personal }) => ({ personal: { userAgent: personal!.address! } })),
      'Entry 17 shows another userAgent than was logged',
    );
  });

  test('entries that are gone: in the middle, at the end, all', () => {
    says(entries.toSpliced(16, 1), 'Entry 17 is missing: behind 16 comes 18.');
    says(entries.toSpliced(16, 3), 'Entries 17 to 19 are missing: behind 16 comes 20.');
    says(entries.slice(0, 41), 'The log ends at 41, but the newest checkpoint covers 44: at least 3 entries are gone.');
    says(entries.slice(0, 43), 'The log ends at 43, but the newest checkpoint covers 44: at least 1 entry is gone.');
    says([], 'The log ends at 0, but the newest checkpoint covers 44');
  });

  test('the newest entries, with a checkpoint made anew', () => {
    const short = entries.slice(0, 41);
    says(
      short,
      'The log ends at 41, but the checkpoint at-44 covers 44: at least 3 entries are gone.',
      [kept(44)],
      checkpointOf(short, signer),
    );
  });

  test('entries that were put in or behind, or stand elsewhere', () => {
    says(entries.toSpliced(17, 0, entryOf(17)), 'Entry 17 is there twice: one of the two was put in.');
    // The database returns the two in either order.
    const other = { ...entryOf(4), seq: 17, leafHash: entries[16]!.leafHash };
    for (const at of [16, 17])
      says(entries.toSpliced(at, 0, other), 'Entry 17 is there twice: one of the two was put in.');
    says(
      [...entries, entryOf(45)],
      'Entries 45 to 45 stand behind the newest checkpoint, which covers 44: nobody has signed them.',
    );
    const moved = entries.map((e) =>
      e.seq === 17
        ? { ...entries[22]!, seq: 17, leafHash: e.leafHash }
        : e.seq === 23
          ? { ...entries[16]!, seq: 23, leafHash: e.leafHash }
          : e,
    );
    expect(verify(moved).findings).toEqual([
      'Entry 17 is not in its place: what stands there was logged as entry 23.',
      'Entry 23 is not in its place: what stands there was logged as entry 17.',
    ]);
    says([...entries.slice(0, 16), entries[22]!, ...entries.slice(17)], 'Entries 17 to 22 are missing');
  });

  test('one more, all behind it renumbered and all hashes made anew', () => {
    const log = [...entries.slice(0, 16), entryOf(17), ...entries.slice(16).map((e) => ({ ...e, seq: e.seq + 1 }))];
    says(
      log,
      'Entries 17 to 20 are not those that the checkpoint at-20 was signed for',
      [kept(16), kept(20)],
      checkpointOf(log, signer),
    );
  });

  test('the same event twice', () => {
    const log = [...entries.slice(0, 43), { ...entries[2]!, seq: 44 }];
    says(log, 'Entry 44 has the id of an earlier entry', [], checkpointOf(log, signer));
  });

  test('another history, signed by the session itself', () => {
    const fork = [...entries.slice(0, 30), ...logOf(50).slice(30)];
    expect(verify(fork, [kept(30)], checkpointOf(fork, signer)).verified).toBe(true);
    says(
      fork,
      'Entries 31 to 44 are not those that the checkpoint at-44 was signed for: the log was rewritten there, its hashes with it. Up to 30 it is as it was signed.',
      [kept(30), kept(44)],
      checkpointOf(fork, signer),
    );
  });

  test('another history, signed by somebody else, or as another log', () => {
    says(
      entries,
      'The newest checkpoint proves nothing. No key that is trusted has signed it. Either the pinned key is another',
      [],
      checkpointOf(entries, newSigner()),
    );
    says(
      entries,
      'The newest checkpoint proves nothing. The signature by id.example/o/acme/audit is wrong',
      [],
      note.replace('\n44\n', '\n45\n'),
    );
    says(entries, 'The newest checkpoint proves nothing. It is not a signed note', [], 'x');
  });

  test('what cannot be read', () => {
    says(
      changed(17, () => ({ leafHash: 'AAAA' })),
      'Entry 17 was changed',
    );
    const leaf = Buffer.from('{"id":');
    says(
      changed(17, () => ({ leaf: leaf.toString('base64'), leafHash: leafHash(leaf).toString('base64') })),
      'Entry 17 cannot be read',
    );
    says(
      changed(17, (e) => ({ leaf: `${e.leaf}\t` })),
      'Entry 17 cannot be read: its bytes are not in base64.',
    );
    says(
      changed(17, () => ({ leafHash: 7 as unknown as string })),
      'Entry 17 cannot be read',
    );
    says(
      changed(17, () => ({ seq: 'x' as unknown as number })),
      'Behind entry 16 stands something without a place.',
    );
  });

  test('anything, anywhere', () => {
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

describe('by what lists look for an entry', () => {
  const says = (log: readonly ExportedAuditEntry[], sentence: string, lateMs = 0) => {
    const { verified, findings } = verdictOf(log, note, [signer.key], [], { lateMs });
    expect([verified, findings]).toEqual([false, [expect.stringContaining(sentence)]]);
  };

  test('its class', () => {
    says(
      changed(17, () => ({ class: 'reads' })),
      'Entry 17 lies in the wrong class: the column says "reads", and what was logged, offer.create, is of the class "changes"',
    );
  });

  test('its month', () => {
    says(
      changed(17, () => ({ month: '2026-01' })),
      'Entry 17 lies in the month 2026-01, and entry 18 behind it in 2025-11: one of the two was put into another month, and lists do not find it.',
    );
    says(
      changed(1, () => ({ month: '2025-10' })),
      'Entry 1 lies in the month 2025-10, before it happened, at 2025-11-21',
    );
    says(
      changed(1, () => ({ month: '0000-13' })),
      'Entry 1 lies in the month "0000-13", which is none.',
    );
    // It happened before the month in which it came in, as after an outage.
    expect(verify(entries.map((e) => ({ ...e, month: e.seq < 9 ? '2025-12' : '2026-03' }))).verified).toBe(true);
  });

  test('the times that it is said to lie between', () => {
    const at = (seq: number) => entries[seq - 1]!.found!.occurredAt;
    expect(verify(changed(30, () => ({ lastAt: at(30) }))).verified).toBe(true);
    says(
      changed(30, () => ({ lastAt: at(29) })),
      `Entry 30 happened at ${at(30)}, later than the log says that anything up to place 30 did`,
    );
    const raised = changed(30, () => ({ lastAt: at(44) }));
    says(
      raised,
      'Entry 31 happened 13 ms before what the log says of the time up to there, and the log says that this is 12 at most',
      12,
    );
    expect(verdictOf(raised, note, [signer.key], [], { lateMs: 13 }).verified).toBe(true);
  });
});

describe('what the log has dropped itself', () => {
  /** Three of changes and one of reads in a month that is over, then the others. */
  const places = [1, 2, 4];
  const before = (seq: number) =>
    entryOf(seq, { action: seq === 3 ? 'subject.read' : 'offer.create', occurredAt: `2025-09-0${seq}T00:00:00.000Z` });
  const log = [...[1, 2, 3, 4].map(before), ...entries.slice(4)];
  const dropping = (gone: number[], record = dropRecord(45, places), of = log) => [
    ...of.map((e) => (gone.includes(e.seq) ? without(e) : e)),
    record,
  ];
  const check = (of: ExportedAuditEntry[], checkpoints: KeptCheckpoint[] = []) =>
    verify(of, checkpoints, checkpointOf(of, signer));
  const legacy = dropRecord(45, places, { places: undefined });

  test('is accounted for by its records, and earlier checkpoints still fit', () => {
    expect(check(dropping(places), [kept(20, log)])).toMatchObject({
      verified: true,
      findings: [],
      notes: [],
      dropped: 3,
      entries: 45,
      continues: ['at-20'],
    });
  });

  test('also when the same month was dropped twice', () => {
    const [first, second] = [dropRecord(45, [1, 2]), dropRecord(46, [4])];
    expect(check([...dropping(places, first), second])).toMatchObject({ verified: true });
    expect(check([...dropping([1, 2], first), second]).findings).toEqual([
      'Entry 4 still has its bytes, but entry 46 records that those of class changes and month 2025-09 were all dropped: it was put back, or put there.',
      'Entry 46 records that 3 of class changes and month 2025-09 were dropped, but 2, from place 1 to 2, come without bytes.',
    ]);
  });

  test('one was put back and another taken, so that their number is right', () => {
    const moved = log.map((e) => (e.seq === 4 ? { ...e, month: '2025-10' } : e));
    expect(check(dropping([1, 2, 30], undefined, moved)).findings).toEqual([
      '1 entry of class changes and month 2025-11 comes without bytes, the first at place 30, but the log does not record that they were dropped: gone without a record.',
      'Entry 45 records that 3 of class changes and month 2025-09 were dropped, but 2, from place 1 to 2, come without bytes.',
    ]);
  });

  test('another place of the same class and month', () => {
    const other = log.with(2, before(5)).map((e, i) => ({ ...e, seq: i + 1 }));
    const { findings } = check(dropping([1, 2, 3], undefined, other.with(3, { ...other[3]!, month: '2025-10' })));
    expect(findings).toEqual([
      'Entry 45 records that 3 of class changes and month 2025-09 were dropped, but other places than those come without bytes.',
    ]);
  });

  test('more than was dropped, or with nothing that records it', () => {
    expect(check(dropping([1, 2, 3, 4])).findings).toEqual([
      '1 entry of class reads and month 2025-09 comes without bytes, the first at place 3, but the log does not record that they were dropped: gone without a record.',
    ]);
    expect(verify(entries.with(4, without(entries[4]!))).findings[0]).toContain(
      '1 entry of class changes and month 2025-11 comes without bytes, the first at place 5',
    );
    expect(check(dropping(places).map((e) => (e.seq === 4 ? { ...e, class: 'kept' } : e))).findings).toHaveLength(2);
  });

  test('in a month that was not over, or of what is never dropped', () => {
    const early = { ...dropRecord(45, places, {}, '2025-09-30T23:59:59.999Z'), month: '2025-11' };
    expect(check(dropping(places, early)).findings).toEqual([
      'Entry 45 records that entries of class changes and month 2025-09 were dropped, when that month was not over.',
    ]);
    const erasures = log.map((e) => (places.includes(e.seq) ? { ...e, class: 'kept' } : e));
    expect(check(dropping(places, dropRecord(45, places, { retention: { to: 'kept' } }), erasures)).findings).toEqual([
      'Entry 45 records that entries of class kept and month 2025-09 were dropped, and these are never dropped.',
    ]);
  });

  test('recorded before records named places: by class, month and number', () => {
    expect(check(dropping(places, legacy))).toMatchObject({
      verified: true,
      notes: [
        'Of 3 entries that were dropped the log records only class, month and number, since that was before it recorded places.',
      ],
    });
    expect(check(dropping([1, 2, 30], legacy)).findings).toHaveLength(3);
  });

  test('shows nothing any more', () => {
    const shown = dropping(places).map((e) => (e.seq === 4 ? { ...e, found: entries[4]!.found } : e));
    expect(check(shown).findings).toEqual([
      'Entry 4 comes without its bytes, so what is shown of it is proven by nothing.',
    ]);
  });
});

describe('what nobody can prove is refused, unless it is asked for', () => {
  const allowed = (log: readonly ExportedAuditEntry[]) =>
    verdictOf(log, note, [signer.key], [], { allowUnprovable: true });

  test('names without salt', () => {
    const log = changed(17, ({ names }) => ({ names: names!.map((name) => ({ ...name, salt: '' })) }));
    expect(verify(log)).toMatchObject({
      verified: false,
      unprovable: 2,
      findings: [
        expect.stringContaining('Entry 17 is the first of 2 times that a name is shown for a pseudonym without salt'),
      ],
    });
    expect(allowed(log)).toMatchObject({ verified: true, unprovable: 2 });
  });

  test('personal values that are withheld while the name of that person opens', () => {
    const log = changed(17, () => ({ personal: undefined }));
    expect(verify(log)).toMatchObject({
      verified: false,
      findings: [expect.stringContaining('Entry 17 withholds an address, user agent or reason that was logged')],
    });
    expect(allowed(log)).toMatchObject({ verified: true, unprovable: 1 });
    expect(verify(log).onlyUnprovable).toBe(true);
  });
});

test('says no more than anybody reads', () => {
  const { findings, more } = verify(entries.map((e) => ({ ...e, found: { ...e.found!, action: 'x' } })));
  expect([findings.length, more]).toEqual([20, 24]);
});

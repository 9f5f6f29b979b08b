import { describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, dropped, dropRecord, entryOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { openCheckpoint } from '@holdfast/tlog';
import type { KeptCheckpoint } from './log-verifier.js';
import { verdictOf } from './verdict.fixture.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
const kept = (size: number, of: readonly ExportedAuditEntry[]): KeptCheckpoint => ({
  name: `at-${size}`,
  checkpoint: openCheckpoint(checkpointOf(of.slice(0, size), signer), [signer.key]),
});
const verify = (log: readonly ExportedAuditEntry[], checkpoints: KeptCheckpoint[] = [], newest = note) =>
  verdictOf(log, newest, [signer.key], checkpoints);

describe('a log with dropped entries', () => {
  /** Three entries of changes and one of reads in a month that has ended, then the others. */
  const seqs = [1, 2, 4];
  const before = (seq: number) =>
    entryOf(seq, { action: seq === 3 ? 'subject.read' : 'offer.create', occurredAt: `2025-09-0${seq}T00:00:00.000Z` });
  const log = [...[1, 2, 3, 4].map(before), ...entries.slice(4)];
  const dropping = (droppedSeqs: number[], record = dropRecord(45, seqs), of = log) => [
    ...of.map((e) => (droppedSeqs.includes(e.seq) ? dropped(e) : e)),
    record,
  ];
  const check = (of: ExportedAuditEntry[], checkpoints: KeptCheckpoint[] = []) =>
    verify(of, checkpoints, checkpointOf(of, signer));
  const legacy = dropRecord(45, seqs, { places: undefined });

  test('verifies with a record of the drop, and is consistent with earlier checkpoints', () => {
    expect(check(dropping(seqs), [kept(20, log)])).toMatchObject({
      verified: true,
      findings: [],
      notes: [],
      dropped: 3,
      entries: 45,
      continues: ['at-20'],
    });
  });

  test('verifies when the same month was dropped twice', () => {
    const [first, second] = [dropRecord(45, [1, 2]), dropRecord(46, [4])];
    expect(check([...dropping(seqs, first), second])).toMatchObject({ verified: true });
    expect(check([...dropping([1, 2], first), second]).findings).toEqual([
      'Entry 4 still has its bytes, but entry 46 records that all entries of class changes and month 2025-09 were ' +
        'dropped: it was restored or inserted.',
      'Entry 46 records that 3 entries of class changes and month 2025-09 were dropped, but 2, from seq 1 to 2, have ' +
        'no bytes.',
    ]);
  });

  test('does not verify when one entry was restored and another removed, so that the number is right', () => {
    const moved = log.map((e) => (e.seq === 4 ? { ...e, month: '2025-10' } : e));
    expect(check(dropping([1, 2, 30], undefined, moved)).findings).toEqual([
      expect.stringContaining('Entry 4 has a month in which nothing up to it has happened'),
      '1 entry of class changes and month 2025-11 has no bytes, at seq 30, and no record says that it was dropped: ' +
        'removed without a record.',
      'Entry 45 records that 3 entries of class changes and month 2025-09 were dropped, but 2, from seq 1 to 2, have ' +
        'no bytes.',
    ]);
  });

  test('does not verify when another entry of the same class and month has no bytes', () => {
    const other = log.with(2, before(5)).map((e, i) => ({ ...e, seq: i + 1 }));
    const { findings } = check(dropping([1, 2, 3], undefined, other.with(3, { ...other[3]!, month: '2025-10' })));
    expect(findings).toEqual([
      expect.stringContaining('Entry 4 has a month in which nothing up to it has happened'),
      'Entry 45 records that 3 entries of class changes and month 2025-09 were dropped, but other entries have no ' +
        'bytes.',
    ]);
  });

  test('does not verify when more entries have no bytes than were dropped, or without a record', () => {
    expect(check(dropping([1, 2, 3, 4])).findings).toEqual([
      '1 entry of class reads and month 2025-09 has no bytes, at seq 3, and no record says that it was dropped: ' +
        'removed without a record.',
    ]);
    expect(verify(entries.with(4, dropped(entries[4]!))).findings[0]).toContain(
      '1 entry of class changes and month 2025-11 has no bytes, at seq 5',
    );
    expect(check(dropping(seqs).map((e) => (e.seq === 4 ? { ...e, class: 'kept' } : e))).findings).toHaveLength(2);
  });

  test('does not verify when the month had not ended, or when the class is never dropped', () => {
    const early = { ...dropRecord(45, seqs, {}, '2025-09-30T23:59:59.999Z'), month: '2025-11' };
    expect(check(dropping(seqs, early)).findings).toEqual([
      'Entry 45 records that entries of class changes and month 2025-09 were dropped before that month had ended.',
    ]);
    const erasures = log.map((e) => (seqs.includes(e.seq) ? { ...e, class: 'kept' } : e));
    expect(check(dropping(seqs, dropRecord(45, seqs, { retention: { to: 'kept' } }), erasures)).findings).toEqual([
      'Entry 45 records that entries of class kept and month 2025-09 were dropped, but these are never dropped.',
    ]);
  });

  test('verifies by class, month and number when its record is from before records contained sequence numbers', () => {
    expect(check(dropping(seqs, legacy))).toMatchObject({
      verified: true,
      notes: [
        'Of 3 dropped entries the log records class, month and number only: it did not record sequence numbers at ' +
          'that time.',
      ],
    });
    expect(check(dropping([1, 2, 30], legacy)).findings).toHaveLength(3);
  });

  test('does not verify when a dropped entry has other fields', () => {
    const log = dropping(seqs).map((e) => (e.seq === 4 ? { ...e, found: entries[4]!.found } : e));
    expect(check(log).findings).toEqual(['Entry 4 has no bytes, so nothing proves its other fields.']);
  });
});

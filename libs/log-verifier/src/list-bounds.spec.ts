import { describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { verdictOf } from './verdict.fixture.js';

const signer = newSigner();
const entries = logOf(300);
const note = checkpointOf(entries, signer);
/** The log with one changed entry. */
const changed = (seq: number, change: () => Partial<ExportedAuditEntry>) =>
  entries.map((entry) => (entry.seq === seq ? { ...entry, ...change() } : entry));
const verify = (log: readonly ExportedAuditEntry[]) => verdictOf(log, note, [signer.key]);

describe('a log does not verify when a column that lists use was changed', () => {
  const expectFinding = (log: readonly ExportedAuditEntry[], sentence: string, lateMs = 0) => {
    const { verified, findings } = verdictOf(log, note, [signer.key], [], { lateMs });
    expect([verified, findings]).toEqual([false, expect.arrayContaining([expect.stringContaining(sentence)])]);
  };

  test('(the retention class)', () => {
    expectFinding(
      changed(17, () => ({ class: 'reads' })),
      'Entry 17 has a wrong retention class: the column says "reads", but offer.create belongs to "changes"',
    );
  });

  test('(the month)', () => {
    expectFinding(
      changed(17, () => ({ month: '2026-01' })),
      'Entry 17 has the month 2026-01, and the next entry, 18, has 2025-11: one of the two months was changed, and ' +
        'lists do not find that entry.',
    );
    expectFinding(
      changed(1, () => ({ month: '2025-10' })),
      'Entry 1 has the month 2025-10, but happened later, at 2025-11-21',
    );
    expectFinding(
      changed(1, () => ({ month: '0000-13' })),
      'Entry 1 cannot be read: it has a "month" of another form.',
    );
  });

  test('(the month, to a later one than anything up to the entry has happened in)', () => {
    const from = (seq: number, month: string) => entries.map((e) => (e.seq < seq ? e : { ...e, month }));
    expectFinding(
      from(150, '2027-01'),
      `Entry 150 has the month 2027-01, but nothing up to it happened after ${entries[149]!.found!.occurredAt}`,
    );
    // An earlier version appended so after an outage.
    const next = verify(from(150, '2025-12'));
    expect(next).toMatchObject({
      verified: false,
      onlyUnprovable: true,
      findings: [expect.stringContaining('Entry 150 has a month in which nothing up to it has happened')],
    });
    const options = { lateMs: 0, allowUnprovable: true };
    expect(verdictOf(from(150, '2025-12'), note, [signer.key], [], options).verified).toBe(true);
    expect(verdictOf(from(150, '2026-01'), note, [signer.key], [], options).verified).toBe(false);
  });

  test('(the time bounds)', () => {
    const at = (seq: number) => entries[seq - 1]!.found!.occurredAt;
    expect(verify(entries).verified).toBe(true);
    expectFinding(
      changed(256, () => ({ lastAt: at(255) })),
      `Entry 256 happened at ${at(256)}, after the lastAt of entry 256`,
    );
    const raised = changed(256, () => ({ lastAt: at(270) }));
    expectFinding(raised, 'Entry 257 happened 13 ms before an earlier lastAt, and the log allows 12 ms at most', 12);
    expect(verdictOf(raised, note, [signer.key], [], { lateMs: 13 }).verified).toBe(true);
    expectFinding(
      changed(30, () => ({ lastAt: at(30) })),
      'Entry 30 has a lastAt, which only each 256th entry has',
    );
  });
});

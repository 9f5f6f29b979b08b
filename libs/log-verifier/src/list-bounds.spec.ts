import { describe, expect, test } from '@jest/globals';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import { checkpointOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { verdictOf } from './verdict.fixture.js';

const signer = newSigner();
const entries = logOf(44);
const note = checkpointOf(entries, signer);
/** The log with one changed entry. */
const changed = (seq: number, change: () => Partial<ExportedAuditEntry>) =>
  entries.map((entry) => (entry.seq === seq ? { ...entry, ...change() } : entry));
const verify = (log: readonly ExportedAuditEntry[]) => verdictOf(log, note, [signer.key]);

describe('a log does not verify when a column that lists use was changed', () => {
  const expectFinding = (log: readonly ExportedAuditEntry[], sentence: string, lateMs = 0) => {
    const { verified, findings } = verdictOf(log, note, [signer.key], [], { lateMs });
    expect([verified, findings]).toEqual([false, [expect.stringContaining(sentence)]]);
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
      'Entry 1 has the month "0000-13", which is not a month.',
    );
    // An entry may be appended in a later month than it happened, as after an outage.
    expect(verify(entries.map((e) => ({ ...e, month: e.seq < 9 ? '2025-12' : '2026-03' }))).verified).toBe(true);
  });

  test('(the time bounds)', () => {
    const at = (seq: number) => entries[seq - 1]!.found!.occurredAt;
    expect(verify(changed(30, () => ({ lastAt: at(30) }))).verified).toBe(true);
    expectFinding(
      changed(30, () => ({ lastAt: at(29) })),
      `Entry 30 happened at ${at(30)}, after the lastAt of entry 30`,
    );
    const raised = changed(30, () => ({ lastAt: at(44) }));
    expectFinding(raised, 'Entry 31 happened 13 ms before an earlier lastAt, and the log allows 12 ms at most', 12);
    expect(verdictOf(raised, note, [signer.key], [], { lateMs: 13 }).verified).toBe(true);
  });
});

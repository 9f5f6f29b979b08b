import { createHash } from 'node:crypto';
import type { ExportedAuditEntry } from '@holdfast/contracts';
import type { Edit } from './captured-log.js';
import { newUuid } from './exported-log.js';
import type { ExportVector, VectorMaker } from './vector-maker.js';

/** As a record of `audit.drop` names entries. */
function placesOf(seqs: readonly number[]): object {
  const bytes = Buffer.concat(seqs.map((seq) => Buffer.from(seq.toString(16).padStart(16, '0'), 'hex')));
  const sha256 = createHash('sha256').update(bytes).digest('base64');
  return { first: seqs[0], last: seqs.at(-1), sha256 };
}

/** Drops during an export, and several drops of one class and month. */
export function dropVectors(make: VectorMaker): ExportVector[] {
  const { log, captured } = make;
  const drop = log.entries.findLast(({ found }) => found?.action === 'audit.drop')!;
  const restored = captured.restored.map((line) => (JSON.parse(line) as ExportedAuditEntry).seq);
  const [first = 0, second = 0, third = 0] = restored;
  const began = log.end({ began: captured.began });
  const withBytes = (...indexes: number[]) => indexes.map((i) => log.replaced(restored[i]!, captured.restored[i]!));
  const recording = (entry: ExportedAuditEntry, change: object) => {
    const { changes, ...leaf } = log.leafOf(drop);
    const record = { ...leaf, id: newUuid(), changes: { ...(changes as object), ...change } };
    const { id, action, actor, targets } = { ...drop.found!, id: record.id };
    const found = { id, action, actor, targets, outcome: 'success', occurredAt: drop.found!.occurredAt };
    return { ...log.withLeaf(entry, record, found), class: 'kept', names: undefined, personal: undefined };
  };
  /** The last entry before the record of the drop that nothing else needs. */
  const earlier = log.entries.findLast((e) => e.seq < drop.seq && e.found?.action === 'audit.list' && !e.lastAt)!;
  const changesOf = (seqs: number[]) => ({ entries: { to: seqs.length }, places: { to: placesOf(seqs) } });
  const twice = (...drops: [number[], number[]]) =>
    log.signed(recording(earlier, changesOf(drops[0])), recording(drop, changesOf(drops[1])));
  const still = (seq: number) => `Entry ${seq} still has its bytes, but entry ${drop.seq} records that all entries`;
  return [
    make.verified('a drop during the export, before which two of its entries were read', [...withBytes(0, 1), began]),
    make.verified('a drop during the export, before which all of its entries were read', [
      ...withBytes(0, 1, 2),
      began,
    ]),
    make.refuted('a dropped entry with bytes', still(first), withBytes(0)),
    make.refuted('a drop during the export, with bytes after an entry without', still(second), [
      ...withBytes(1),
      began,
    ]),
    make.refuted('a drop before the export, with bytes as if it had been during it', still(first), [
      ...withBytes(0, 1),
      log.end({ began: drop.seq }),
    ]),
    make.verified(
      'two drops of one class and month, one after the other',
      twice([first, second], [third]),
      make.bySigner,
    ),
    make.refuted(
      'two drops of one class and month, of which one names another entry',
      `Entry ${drop.seq} records that 3 entries of class changes`,
      twice([first, second], [third + 1]),
      make.bySigner,
    ),
    make.verified(
      'a drop from before records named their entries',
      log.signed(recording(drop, { places: undefined })),
      make.bySigner,
    ),
    make.refuted(
      'a drop from before records named their entries, of another number',
      `Entry ${drop.seq} records that 2 entries of class changes`,
      log.signed(recording(drop, { places: undefined, entries: { to: 2 } })),
      make.bySigner,
    ),
    make.refuted(
      'a drop of a month that had not ended',
      '',
      log.signed(recording(drop, { month: { to: drop.month } })),
      make.bySigner,
    ),
    make.refuted(
      'a drop with an unknown change',
      '3 entries of class changes and month 2018-03 have no bytes',
      log.signed(recording(drop, { reason: { to: 'x' } })),
      make.bySigner,
    ),
  ];
}

/** The columns by which lists find entries. */
export function columnVectors(make: VectorMaker): ExportVector[] {
  const { log } = make;
  const plain = log.entries.findLast((e) => e.found?.action === 'audit.list')!;
  const denied = log.entries.find((e) => e.found?.outcome === 'denied' && e.class === 'kept')!;
  const { month = '', lastAt = '' } = log.entry(256);
  const half = Math.floor(log.size / 2);
  const from = (seq: number, to: string): Edit[] => [{ line: seq + 1, to: log.size + 1, members: { month: to } }];
  const [year = 0, number = 0] = month.split('-').map(Number);
  const next = new Date(Date.UTC(year, number, 1)).toISOString().slice(0, 7);
  const old: Edit[] = [
    { line: 2, to: log.size + 1, members: { class: null, month: null, lastAt: null } },
    log.end({ lateMs: undefined }),
  ];
  const isDropped = ({ leaf }: ExportedAuditEntry) => leaf === undefined;
  return [
    make.refuted(
      'half of the log in a later year',
      `Entry ${half} has the month ${year + 1}-01, but nothing`,
      from(half, `${year + 1}-01`),
    ),
    make.refuted(
      'half of the log in the next month',
      `Entry ${half} has a month in which nothing up to it`,
      from(half, next),
    ),
    make.refuted('an entry in an earlier month', '', [log.changed(plain.seq, { month: '2018-03' })]),
    make.refuted('an entry in what is no month', `Entry ${plain.seq} cannot be read`, [
      log.changed(plain.seq, { month: '2026-13' }),
    ]),
    make.refuted(
      'a denied removal with the class of denied requests',
      `Entry ${denied.seq} has a wrong retention class`,
      [log.changed(denied.seq, { class: 'reads' })],
    ),
    make.verified(
      'an action that is newer than the verifier, signed',
      [
        ...log.signed(
          log.withLeaf(plain, { ...log.leafOf(plain), action: 'event.future' }, { action: 'event.future' }),
        ),
      ],
      make.bySigner,
    ),
    make.refuted('a class that does not exist', `Entry ${plain.seq} cannot be read`, [
      log.changed(plain.seq, { class: 'x' }),
    ]),
    make.verified('a later lastAt, and a larger lateMs: lists read more', [
      log.changed(256, { lastAt: new Date(Date.parse(lastAt) + 3_600_000).toISOString() }),
      log.end({ lateMs: 7_200_000 }),
    ]),
    make.refuted('a later lastAt, and the lateMs of the log', 'Entry ', [
      log.changed(256, { lastAt: new Date(Date.parse(lastAt) + 3_600_000).toISOString() }),
    ]),
    make.refuted('an earlier lastAt', 'Entry ', [
      log.changed(256, { lastAt: new Date(Date.parse(lastAt) - 1000).toISOString() }),
    ]),
    make.refuted('a lastAt of another entry', `Entry ${plain.seq} has a lastAt`, [log.changed(plain.seq, { lastAt })]),
    make.refuted('without a lastAt', 'Entry 256 has no lastAt', [log.changed(256, { lastAt: undefined })]),
    make.refuted('an entry without its class', `Entry ${plain.seq} has no class and month`, [
      log.changed(plain.seq, { class: undefined }),
    ]),
    make.refuted('without lateMs', 'The export has no lateMs', [log.end({ lateMs: undefined })]),
    make.undecided(
      'an export from before class and month, with dropped entries',
      `${log.entries.filter(isDropped).length} entries have no bytes`,
      {},
      old,
    ),
  ];
}

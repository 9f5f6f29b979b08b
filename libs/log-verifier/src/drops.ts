import { retentions, type ExportedAuditEntry, type Retention } from '@holdfast/contracts';
import { FormatError } from '@holdfast/tlog';
import { base64Of, sha256, Sha256 } from '@holdfast/tlog/platform';
import { droppedSchema, type Dropped } from './drop-record.js';
import type { Findings } from './findings.js';
import type { LeafFacts } from './leaf-facts.js';
import { plural } from './plural.js';

/** A record of `audit.drop`. */
interface DropRecord {
  seq: number;
  occurredAt: string;
  count: number;
  /** The sequence numbers; absent in records of earlier versions. */
  places?: NonNullable<Dropped['places']>['to'];
}

/** The entries of one retention class and month. */
interface Group {
  class: string;
  month: string;
  /** Sequence numbers of the first and last entry with bytes, and their number. */
  firstPresent: number;
  lastPresent: number;
  presentCount: number;
  /** Sequence numbers of entries without bytes, ascending. */
  missing: number[];
  /** Over all sequence numbers, with and without bytes. */
  seqHash: SeqHash;
  records: DropRecord[];
}

/** The hash of droppedSchema over a stream of sequence numbers: a log has too many to store them all. */
class SeqHash {
  private readonly hash = new Sha256();
  private seqs: number[] = [];

  add(seq: number): void {
    this.seqs.push(seq);
    if (this.seqs.length === 512) this.flush();
  }

  digest(): string {
    this.flush();
    return base64Of(this.hash.digest());
  }

  private flush(): void {
    this.hash.update(bytesOf(this.seqs));
    this.seqs = [];
  }
}

/**
 * Entries without bytes must be those whose drop the log itself records: all entries of a class and month at once, with
 * the recorded sequence numbers, and after the month has ended.
 */
export class Drops {
  private readonly groups = new Map<string, Group>();
  private readonly latest = new Map<string, Group>();
  /** Sequence numbers of entries without bytes whose class and month the export does not contain. */
  readonly withoutMonth: number[] = [];

  /** @param month undefined in an export from before exports contained it */
  add({ seq, leaf, class: name, month }: ExportedAuditEntry): void {
    if (name === undefined || month === undefined) {
      if (leaf === undefined) this.withoutMonth.push(seq);
      return;
    }
    const group = this.groupOf(name, month);
    group.seqHash.add(seq);
    if (leaf === undefined) {
      group.missing.push(seq);
      return;
    }
    group.firstPresent ||= seq;
    group.lastPresent = seq;
    group.presentCount += 1;
  }

  /** @throws FormatError when a drop record is malformed */
  record(seq: number, { action, outcome, occurredAt, changes }: LeafFacts): void {
    if (action !== 'audit.drop' || outcome !== 'success') return;
    const parsed = droppedSchema.safeParse(changes);
    if (!parsed.success) throw new FormatError('its changes do not say which entries were dropped');
    const { retention, month, entries, places } = parsed.data;
    this.groupOf(retention.to, month.to).records.push({
      seq,
      occurredAt,
      count: entries.to,
      ...(places && { places: places.to }),
    });
  }

  /**
   * Whether entries have no bytes that no record so far accounts for. The record of a drop during the reading is
   * appended after the entries that were read.
   */
  get awaitsRecord(): boolean {
    return [...this.groups.values()].some(({ missing, records }) => missing.length > totalOf(records));
  }

  /**
   * To be called at the end of the log.
   *
   * @param began size of the log when its reading began
   * @returns how many dropped entries are recorded by number only, and sentences on drops during the reading
   */
  report(findings: Findings, began = Infinity): { counted: number; meanwhile: string[] } {
    let counted = 0;
    const meanwhile: string[] = [];
    // Without class and month, entries cannot be assigned to a record.
    if (this.withoutMonth.length > 0) return { counted, meanwhile };
    for (const group of this.groups.values()) {
      if (group.missing.length === 0 && group.records.length === 0) continue;
      meanwhile.push(...report(group, findings, began));
      if (!group.records.every(({ places }) => places)) counted += group.missing.length;
    }
    return { counted, meanwhile };
  }

  private groupOf(name: string, month: string): Group {
    // Usually the group is that of the previous entry of the same class.
    let group = this.latest.get(name);
    if (group?.month === month) return group;
    const key = `${name} ${month}`;
    group = this.groups.get(key);
    if (!group)
      this.groups.set(
        key,
        (group = {
          class: name,
          month,
          firstPresent: 0,
          lastPresent: 0,
          presentCount: 0,
          missing: [],
          seqHash: new SeqHash(),
          records: [],
        }),
      );
    this.latest.set(name, group);
    return group;
  }
}

function report(group: Group, findings: Findings, began: number): string[] {
  const { class: name, month, firstPresent, missing, records } = group;
  const which = `class ${name} and month ${month}`;
  const last = records.at(-1);
  if (!last) {
    const [first] = missing as [number, ...number[]];
    const [entries, they] =
      missing.length === 1
        ? [`1 entry of ${which} has no bytes, at seq ${first}`, 'it was']
        : [`${missing.length} entries of ${which} have no bytes, the first at seq ${first}`, 'they were'];
    findings.add(first, `${entries}, and no record says that ${they} dropped: removed without a record.`);
    return [];
  }
  for (const { seq, occurredAt } of records) {
    if (month >= occurredAt.slice(0, 7))
      findings.at(seq, `records that entries of ${which} were dropped before that month had ended`);
    if (retentions[name as Retention].months === undefined)
      findings.at(seq, `records that entries of ${which} were dropped, but these are never dropped`);
  }
  const before = records.filter(({ seq }) => seq <= began);
  const lastBefore = before.at(-1);
  const reportPresent = (seq: number, record: number) =>
    findings.at(
      seq,
      `still has its bytes, but entry ${record} records that all entries of ${which} were dropped: it was restored ` +
        'or inserted',
    );
  if (firstPresent > 0 && lastBefore && firstPresent < lastBefore.seq) reportPresent(firstPresent, lastBefore.seq);
  const recorded = totalOf(records);
  if (before.length < records.length) {
    // The log is read in order: entries with bytes were read before the drop, all others after it.
    const missingMeanwhile = missing.slice(totalOf(before));
    if (group.presentCount > 0 && missingMeanwhile.length > 0 && missingMeanwhile[0]! < group.lastPresent)
      reportPresent(group.lastPresent, last.seq);
    else if (droppedMeanwhile(group, before, records)) {
      return [
        `Entry ${last.seq} records that ${plural(recorded - totalOf(before), 'entry', 'entries')} of ${which} were ` +
          'dropped ' +
          `while the log was read; ${group.presentCount} of them were read before.`,
      ];
    }
  }
  if (recorded === missing.length && matchesRecords(missing, records)) return [];
  const range = missing.length > 0 ? `, from seq ${missing[0]!} to ${missing.at(-1)!},` : '';
  const actual = recorded === missing.length ? 'other entries' : `${missing.length}${range}`;
  findings.at(last.seq, `records that ${recorded} entries of ${which} were dropped, but ${actual} have no bytes`);
  return [];
}

/** Whether the entries of the group, with and without bytes, are the dropped ones, some of which were read before. */
function droppedMeanwhile(
  { missing, presentCount, seqHash }: Group,
  before: readonly DropRecord[],
  records: readonly DropRecord[],
): boolean {
  if (totalOf(records) !== missing.length + presentCount) return false;
  if (!matchesRecords(missing.slice(0, totalOf(before)), before)) return false;
  const [only, ...others] = records;
  // The entries of an earlier drop are known; the rest of the group can only belong to the later one.
  return others.length > 0 || only!.places?.sha256 === seqHash.digest();
}

function totalOf(records: readonly DropRecord[]): number {
  return records.reduce((sum, { count }) => sum + count, 0);
}

/** Whether the sequence numbers without bytes are, record by record, the recorded ones. */
function matchesRecords(missing: readonly number[], records: readonly DropRecord[]): boolean {
  // Records from before they contained sequence numbers are compared by number only.
  if (!records.every(({ places }) => places)) return true;
  let from = 0;
  return records
    .toSorted((a, b) => a.places!.first - b.places!.first)
    .every(({ count, places }) => {
      const seqs = missing.slice(from, (from += count));
      const { first, last, sha256: hash } = places!;
      return seqs[0] === first && seqs.at(-1) === last && hashOf(seqs) === hash;
    });
}

function hashOf(seqs: readonly number[]): string {
  return base64Of(sha256(bytesOf(seqs)));
}

/** 8 bytes each, big-endian. */
function bytesOf(seqs: readonly number[]): Uint8Array {
  const view = new DataView(new ArrayBuffer(8 * seqs.length));
  seqs.forEach((seq, i) => view.setBigUint64(8 * i, BigInt(seq)));
  return new Uint8Array(view.buffer);
}

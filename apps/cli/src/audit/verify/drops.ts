import { createHash, hash } from 'node:crypto';
import { droppedSchema, retentions, type Dropped, type ExportedAuditEntry, type Retention } from '@holdfast/contracts';
import type { Findings } from './findings.js';
import type { LeafFacts } from './leaf-facts.js';
import { plural } from './plural.js';

/** A record of `audit.drop`. */
interface DropRecord {
  seq: number;
  occurredAt: string;
  count: number;
  /** Absent in records from before they named them. */
  places?: NonNullable<Dropped['places']>['to'];
}

/** The entries of one class and month. */
interface Group {
  class: string;
  month: string;
  /** The first and the last place whose bytes are there, and how many there are. */
  there: number;
  lastPresent: number;
  presentCount: number;
  /** Places whose bytes are gone, ascending. */
  gone: number[];
  /** Of all places, whether their bytes are there or not. */
  places: SeqHash;
  records: DropRecord[];
}

/** As droppedSchema says it, of places as they come: a log has too many to keep them all. */
class SeqHash {
  private readonly hash = createHash('sha256');
  private readonly chunk = Buffer.alloc(8 * 512);
  private used = 0;

  add(seq: number): void {
    this.used = this.chunk.writeBigUInt64BE(BigInt(seq), this.used);
    if (this.used < this.chunk.length) return;
    this.hash.update(this.chunk);
    this.used = 0;
  }

  digest(): string {
    return this.hash.copy().update(this.chunk.subarray(0, this.used)).digest('base64');
  }
}

/**
 * What is gone from a log must be what the log itself says was dropped: of each class and month all entries at once,
 * those that its record names, and only when the month was over.
 */
export class Drops {
  private readonly groups = new Map<string, Group>();
  private readonly latest = new Map<string, Group>();
  /** Places without bytes of which the export does not say where they lay. */
  readonly unplaced: number[] = [];

  /** @param month undefined in an export from before it said so */
  add({ seq, leaf, class: name, month }: ExportedAuditEntry): void {
    if (name === undefined || month === undefined) {
      if (leaf === undefined) this.unplaced.push(seq);
      return;
    }
    const group = this.groupOf(name, month);
    group.places.add(seq);
    if (leaf === undefined) {
      group.gone.push(seq);
      return;
    }
    group.there ||= seq;
    group.lastPresent = seq;
    group.presentCount += 1;
  }

  /** @throws Error when it is not what such a record says */
  record(seq: number, { action, outcome, occurredAt, changes }: LeafFacts): void {
    if (action !== 'audit.drop' || outcome !== 'success') return;
    const { retention, month, entries, places } = droppedSchema.parse(changes);
    this.groupOf(retention.to, month.to).records.push({
      seq,
      occurredAt,
      count: entries.to,
      ...(places && { places: places.to }),
    });
  }

  /**
   * Whether entries are gone that no record so far accounts for. One that was made while the log was read stands behind
   * what was read.
   */
  get awaitsRecord(): boolean {
    return [...this.groups.values()].some(({ gone, records }) => gone.length > countedBy(records));
  }

  /**
   * At the end of the log. @param began how many entries the log had when its reading began
   * @returns of how many entries only the number is recorded, and what was dropped while the log was read, in sentences
   */
  report(findings: Findings, began = Infinity): { counted: number; meanwhile: string[] } {
    let counted = 0;
    const meanwhile: string[] = [];
    // Which of them a record means nobody can tell then.
    if (this.unplaced.length > 0) return { counted, meanwhile };
    for (const group of this.groups.values()) {
      if (group.gone.length === 0 && group.records.length === 0) continue;
      meanwhile.push(...report(group, findings, began));
      if (!group.records.every(({ places }) => places)) counted += group.gone.length;
    }
    return { counted, meanwhile };
  }

  private groupOf(name: string, month: string): Group {
    // Mostly it is that of the last entry of its class.
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
          there: 0,
          lastPresent: 0,
          presentCount: 0,
          gone: [],
          places: new SeqHash(),
          records: [],
        }),
      );
    this.latest.set(name, group);
    return group;
  }
}

function report(group: Group, findings: Findings, began: number): string[] {
  const { class: name, month, there, gone, records } = group;
  const which = `class ${name} and month ${month}`;
  const last = records.at(-1);
  if (!last) {
    findings.add(
      gone[0]!,
      `${plural(gone.length, 'entry', 'entries')} of ${which} ${gone.length === 1 ? 'comes' : 'come'} without bytes, the first at place ${gone[0]!}, but the log does not record that they were dropped: gone without a record.`,
    );
    return [];
  }
  for (const { seq, occurredAt } of records) {
    if (month >= occurredAt.slice(0, 7))
      findings.at(seq, `records that entries of ${which} were dropped, when that month was not over`);
    if (retentions[name as Retention].months === undefined)
      findings.at(seq, `records that entries of ${which} were dropped, and these are never dropped`);
  }
  const before = records.filter(({ seq }) => seq <= began);
  const lastBefore = before.at(-1);
  const putBack = (seq: number, record: number) =>
    findings.at(
      seq,
      `still has its bytes, but entry ${record} records that those of ${which} were all dropped: it was put back, or put there`,
    );
  if (there > 0 && lastBefore && there < lastBefore.seq) putBack(there, lastBefore.seq);
  const recorded = countedBy(records);
  if (before.length < records.length) {
    // Read in their order: those with bytes were read before the drop, all others after it.
    const missingMeanwhile = gone.slice(countedBy(before));
    if (group.presentCount > 0 && missingMeanwhile.length > 0 && missingMeanwhile[0]! < group.lastPresent)
      putBack(group.lastPresent, last.seq);
    else if (droppedMeanwhile(group, before, records)) {
      return [
        `Entry ${last.seq} records that ${plural(recorded - countedBy(before), 'entry', 'entries')} of ${which} were dropped while the log was read; of these, ${group.presentCount} were read before.`,
      ];
    }
  }
  if (recorded === gone.length && named(gone, records)) return [];
  const without =
    recorded === gone.length
      ? 'other places than those'
      : `${gone.length}${gone.length > 0 ? `, from place ${gone[0]!} to ${gone.at(-1)!},` : ''}`;
  findings.at(last.seq, `records that ${recorded} of ${which} were dropped, but ${without} come without bytes`);
  return [];
}

/**
 * Whether all places of the group, with bytes and without, are those that were dropped, some of them while they were
 * read.
 */
function droppedMeanwhile(
  { gone, presentCount, places }: Group,
  before: readonly DropRecord[],
  records: readonly DropRecord[],
): boolean {
  if (countedBy(records) !== gone.length + presentCount || !named(gone.slice(0, countedBy(before)), before))
    return false;
  const [only, ...others] = records;
  // The places of an earlier drop are known, and the rest of the group can only be those of the later one.
  return others.length > 0 || only!.places?.sha256 === places.digest();
}

function countedBy(records: readonly DropRecord[]): number {
  return records.reduce((sum, { count }) => sum + count, 0);
}

/** Whether the places that are gone are, one record after the other, those that the records name. */
function named(gone: readonly number[], records: readonly DropRecord[]): boolean {
  // Of records from before they named places the number must do.
  if (!records.every(({ places }) => places)) return true;
  let from = 0;
  return records
    .toSorted((a, b) => a.places!.first - b.places!.first)
    .every(({ count, places }) => hashOf(gone.slice(from, (from += count))) === places!.sha256);
}

function hashOf(places: readonly number[]): string {
  const bytes = Buffer.alloc(8 * places.length);
  places.forEach((seq, i) => bytes.writeBigUInt64BE(BigInt(seq), 8 * i));
  return hash('sha256', bytes, 'base64');
}

import { hash } from 'node:crypto';
import { droppedSchema, retentions, type Dropped, type ExportedAuditEntry, type Retention } from '@holdfast/contracts';
import type { Findings } from './findings.js';
import type { LeafFacts } from './leaf-facts.js';
import { plural } from './plural.js';

/** A record of `audit.drop`. */
interface Recorded {
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
  /** The first place whose bytes are there. */
  there: number;
  /** Places whose bytes are gone, ascending. */
  gone: number[];
  records: Recorded[];
}

/**
 * What is gone from a log must be what the log itself says was dropped: of each class and month all entries at once, those
 * that its record names, and only when the month was over.
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
    if (leaf === undefined) group.gone.push(seq);
    else group.there ||= seq;
  }

  /** @throws Error when it is not what such a record says */
  record(seq: number, { action, outcome, occurredAt, changes }: LeafFacts): void {
    if (action !== 'audit.drop' || outcome !== 'success') return;
    const { retention, month, entries, places } = droppedSchema.parse(changes);
    this.groupOf(retention.to, month.to).records.push({ seq, occurredAt, count: entries.to, ...(places && { places: places.to }) });
  }

  /** At the end of the log. @returns of how many entries only the number is recorded */
  settle(findings: Findings): number {
    let counted = 0;
    // Which of them a record means nobody can tell then.
    if (this.unplaced.length > 0) return counted;
    for (const group of this.groups.values()) {
      if (group.gone.length === 0 && group.records.length === 0) continue;
      settle(group, findings);
      if (!group.records.every(({ places }) => places)) counted += group.gone.length;
    }
    return counted;
  }

  private groupOf(name: string, month: string): Group {
    // Mostly it is that of the last entry of its class.
    let group = this.latest.get(name);
    if (group?.month === month) return group;
    const key = `${name} ${month}`;
    group = this.groups.get(key);
    if (!group) this.groups.set(key, (group = { class: name, month, there: 0, gone: [], records: [] }));
    this.latest.set(name, group);
    return group;
  }
}

function settle({ class: name, month, there, gone, records }: Group, findings: Findings): void {
  const which = `class ${name} and month ${month}`;
  const last = records.at(-1);
  if (!last) {
    findings.add(gone[0]!, `${plural(gone.length, 'entry', 'entries')} of ${which} ${gone.length === 1 ? 'comes' : 'come'} without bytes, the first at place ${gone[0]!}, but the log does not record that they were dropped: gone without a record.`);
    return;
  }
  for (const { seq, occurredAt } of records) {
    if (month >= occurredAt.slice(0, 7)) findings.at(seq, `records that entries of ${which} were dropped, when that month was not over`);
    if (retentions[name as Retention].months === undefined) findings.at(seq, `records that entries of ${which} were dropped, and these are never dropped`);
  }
  if (there > 0 && there < last.seq) findings.at(there, `still has its bytes, but entry ${last.seq} records that those of ${which} were all dropped: it was put back, or put there`);
  const recorded = records.reduce((sum, { count }) => sum + count, 0);
  if (recorded === gone.length && named(gone, records)) return;
  const without = recorded === gone.length ? 'other places than those' : `${gone.length}${gone.length > 0 ? `, from place ${gone[0]!} to ${gone.at(-1)!},` : ''}`;
  findings.at(last.seq, `records that ${recorded} of ${which} were dropped, but ${without} come without bytes`);
}

/** Whether the places that are gone are, one record after the other, those that the records name. */
function named(gone: readonly number[], records: readonly Recorded[]): boolean {
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

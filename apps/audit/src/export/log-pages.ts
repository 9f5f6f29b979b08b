import { Injectable } from '@nestjs/common';
import { Database, type Sql } from '@holdfast/data';
import { leafHash } from '@holdfast/tlog';
import type { StoredEntry } from '../query/entry-decryption.js';
import { mostEntries, pageEntries, pagePlaces, pageTargets, strayEntries } from './page-statements.js';

export interface Place {
  seq: number;
  id: string;
  leafHash: Buffer;
  class: string;
  month: number;
  lastAt?: Date | null;
}

interface EntryRow extends StoredEntry {
  class: string;
  month: number;
  occurredAt: Date;
  action: string;
  actor: string;
  outcome: string;
}

export type Stored = Place & EntryRow & { targets: string[] };
export type PageRow = Place | Stored;

export function isStored(row: PageRow): row is Stored {
  return 'leaf' in row;
}

/** Reads a log as it is stored, a span of places at a time. */
@Injectable()
export class LogPages {
  constructor(private readonly database: Database) {}

  /** What stands in the log behind `after` up to `size`, and what has no business there: a verifier must see both. */
  async read(org: string, after: number, size: number, limit: number): Promise<PageRow[]> {
    const places = await this.database.rows<Place>(pagePlaces, [org, after, size, limit]);
    const last = places.length < limit;
    const end = last ? size : places.at(-1)!.seq;
    // In one transaction: its lock on the entries makes a drop wait, which would otherwise take the targets of what was
    // just read.
    return this.database.transaction(async (sql) => {
      const [found, behind] = await Promise.all([
        sql.rows<EntryRow>(pageEntries, [org, after, end]),
        last ? sql.rows<EntryRow>(strayEntries, [org, size]) : [],
      ]);
      const { read, entries, cut } = whole(places, found);
      return withTargets(sql, org, [...paired(read, entries), ...(cut ? [] : behind.map(stray))]);
    });
  }
}

async function withTargets(sql: Sql, org: string, rows: PageRow[]): Promise<PageRow[]> {
  const placed = rows.filter(isStored).filter(({ id }) => id !== '');
  if (placed.length === 0) return rows;
  const values = [
    org,
    placed.map((_, n) => n),
    placed.map((r) => r.seq),
    placed.map((r) => r.class),
    placed.map((r) => r.month),
  ];
  for (const { n, target } of await sql.rows<{ n: number; target: string }>(pageTargets, values))
    placed[n]!.targets.push(target);
  return rows;
}

/** Of a span in which more rows lie than were read, that up to which all of them were. */
function whole(places: Place[], entries: EntryRow[]): { read: Place[]; entries: EntryRow[]; cut: boolean } {
  if (entries.length < mostEntries) return { read: places, entries, cut: false };
  const last = entries.at(-1)!.seq;
  // When all have one number, the first of them say enough, and the next page goes on behind it.
  const end = entries[0]!.seq === last ? last : last - 1;
  return { read: places.filter(({ seq }) => seq <= end), entries: entries.filter(({ seq }) => seq <= end), cut: true };
}

/** Each place with its entry; behind it what else has its number. Of what was dropped only the place is left. */
function paired(places: readonly Place[], entries: readonly EntryRow[]): PageRow[] {
  const keyOf = ({ seq, class: name, month }: Pick<Place, 'seq' | 'class' | 'month'>) => `${seq} ${name} ${month}`;
  const free = new Map<string, Place>(places.map((place) => [keyOf(place), place]));
  const own = new Map<Place, Stored>();
  const strays: PageRow[] = [];
  for (const entry of entries) {
    const place = free.get(keyOf(entry));
    if (!place) strays.push(stray(entry));
    else {
      free.delete(keyOf(entry));
      own.set(place, { ...place, ...entry, targets: [] });
    }
  }
  const rows = places.map((place) => own.get(place) ?? place);
  return strays.length === 0 ? rows : [...rows, ...strays].sort((a, b) => a.seq - b.seq);
}

/** A row that no place was given to, or another one: somebody put it in, and a list would show it. */
function stray(entry: EntryRow): Stored {
  return { ...entry, id: '', leafHash: leafHash(entry.leaf), targets: [] };
}

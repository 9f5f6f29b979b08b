import { createHash } from 'node:crypto';
import type { AuditRecord } from '@holdfast/contracts';
import { customerKey } from '@holdfast/kit';
import { leafOf, namesIn, type Leaf, type Name } from './leaf.js';

/** Something that asks for a place in the log of an organization. */
export interface Item {
  org: string;
  record?: AuditRecord;
  /** The record is the gateway's guess of what happened: a handler's of the same id wins. */
  provisional?: boolean;
  /** The customer who is erased by what is recorded here. */
  erases?: string;
}

/** What the database knows about the items of a batch, read while the heads of their logs are held. */
export interface Known {
  /** Last place given out, by organization. */
  heads: ReadonlyMap<string, number>;
  /** Whether the entry came from a provisional record, by key() of organization and record id. */
  entries: ReadonlyMap<string, boolean>;
  /** By key() of organization and value. */
  pseudonyms: ReadonlyMap<string, string>;
  /** customerKey() in hex of values that were erased. */
  erased: ReadonlySet<string>;
}

export interface Entry {
  org: string;
  seq: number;
  record: AuditRecord;
  provisional: boolean;
  leaf: Leaf;
}

export interface Arranged {
  entries: Entry[];
  /** Pseudonyms to remember. */
  named: (Required<Name> & { org: string; pseudonym: string })[];
  /** Handlers' records that came when the gateway's guess had its place already. */
  late: AuditRecord[];
}

export function key(org: string, id: string): string {
  return `${org}/${id}`;
}

/** A second id for a handler's record whose own was given to the gateway's guess; the same each time it is delivered. */
export function lateId(id: string): string {
  const hex = createHash('sha256').update(`late ${id}`).digest('hex');
  // RFC 9562 §5.8: version 8, of our own making.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Gives the records of a batch their places, in the order in which they came: each id once, no gap, names replaced. Pure;
 * the same batch arranged again after a failed commit comes out alike but for fresh pseudonyms.
 */
export function arrange(items: readonly Item[], known: Known, newPseudonym: () => string): Arranged {
  const erasing = new Set(items.flatMap(({ org, erases }) => (erases === undefined ? [] : [key(org, erases)])));
  const heads = new Map(known.heads);
  const pseudonyms = new Map(known.pseudonyms);
  const named: Arranged['named'] = [];

  const replacement = (org: string, names: readonly Name[]) => (value: string): string | undefined => {
    const name = names.find((n) => n.value === value);
    if (!name) return undefined;
    const there = pseudonyms.get(key(org, value));
    if (there !== undefined) return there;
    const gone = [value, name.holder].some((v) => v !== undefined && (erasing.has(key(org, v)) || known.erased.has(customerKey(org, v).toString('hex'))));
    if (!gone && name.holder === undefined) return undefined;
    const pseudonym = newPseudonym();
    pseudonyms.set(key(org, value), pseudonym);
    if (!gone && name.holder !== undefined) named.push({ org, value, holder: name.holder, pseudonym });
    return pseudonym;
  };

  const { chosen, late } = choose(items, known);
  const entries = chosen.map(({ org, record, provisional }) => {
    const seq = (heads.get(org) ?? 0) + 1;
    heads.set(org, seq);
    return { org, seq, record, provisional, leaf: leafOf(record, replacement(org, namesIn(record))) };
  });
  return { entries, named, late };
}

type Chosen = Required<Pick<Item, 'org' | 'record' | 'provisional'>>;

/** Which records get a place: one of each id, the handler's rather than the gateway's guess, none that has one already. */
function choose(items: readonly Item[], known: Known): { chosen: Chosen[]; late: AuditRecord[] } {
  const chosen = new Map<string, Chosen>();
  const late: AuditRecord[] = [];
  for (const { org, record, provisional = false } of items) {
    if (!record) continue;
    const place = key(org, record.id);
    const guessed = known.entries.get(place);
    if (guessed === undefined) {
      if (!chosen.has(place) || chosen.get(place)!.provisional) chosen.set(place, { org, record, provisional });
    } else if (guessed && !provisional) {
      const again = { ...record, id: lateId(record.id) };
      if (known.entries.has(key(org, again.id)) || chosen.has(key(org, again.id))) continue;
      chosen.set(key(org, again.id), { org, record: again, provisional });
      late.push(record);
    }
  }
  return { chosen: [...chosen.values()], late };
}

import { retentionOf, type AuditRecord, type Retention } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { leafHash } from '@holdfast/tlog';
import {
  holderOf,
  idsChosen,
  newPerson,
  nobody,
  personalOf,
  sealPersonal,
  type Person,
} from '../privacy/personal-data.js';
import { pseudonymOf, salted, type Random } from '../privacy/pseudonym.js';
import { leafOf, namesIn, type Leaf, type Name } from './leaf.js';
import { emptyHead, GrowingLog, type Head, type Subtree } from './log-head.js';
import { choose, key, type Item } from './select.js';

/** What the database knows about the items of a batch, read while the heads of their logs are held. */
export interface Known {
  heads: ReadonlyMap<string, Head>;
  /** Whether the entry came from a provisional record, by key() of organization and record id. */
  entries: ReadonlyMap<string, boolean>;
  /** By key() of organization and value. */
  pseudonyms: ReadonlyMap<string, string>;
  /** By key() of organization and dataSubject; undefined for those whose keys cannot be opened. */
  persons: ReadonlyMap<string, Person | undefined>;
  /** customerKey() in hex of values that were erased. */
  erased: ReadonlySet<string>;
}

export interface Entry {
  org: string;
  seq: number;
  class: Retention;
  month: number;
  record: AuditRecord;
  provisional: boolean;
  leaf: Leaf;
  leafHash: Buffer;
  /** Whose personal values it has, and the values, sealed. */
  personal?: { person: string; sealed: Buffer };
}

export interface Arranged {
  entries: Entry[];
  /** Where each log ends now. */
  heads: Map<string, Head>;
  /** What has become complete in their trees. */
  subtrees: Subtree[];
  /** Pseudonyms to remember. */
  named: (Required<Name> & { org: string; pseudonym: string; salt: Buffer })[];
  /** Persons whose first personal values these are. */
  persons: { org: string; dataSubject: string; person: Person }[];
  /** Handlers' records that came when the gateway's guess had its place already. */
  late: AuditRecord[];
}

/**
 * Gives the records of a batch their places, in the order in which they came: each id once, no gap, names and personal
 * values replaced. Pure but for the chance that it is handed.
 */
export function arrange(items: readonly Item[], known: Known, now: Date, random: Random): Arranged {
  const erasing = new Set(items.flatMap(({ org, erases }) => (erases === undefined ? [] : [key(org, erases)])));
  const erasingIn = new Set(items.flatMap(({ org, erases }) => (erases === undefined ? [] : [org])));
  // With whoever is erased goes what callers chose for requests that named nobody.
  const isGone = (org: string, value: string) =>
    (value === nobody && erasingIn.has(org)) ||
    erasing.has(key(org, value)) ||
    known.erased.has(customerKey(org, value).toString('hex'));
  const logs = new Map<string, GrowingLog>();
  const pseudonyms = new Map(known.pseudonyms);
  const people = new Map(known.persons);
  const named: Arranged['named'] = [];
  /** Pseudonyms of whom was erased before. */
  const late = new Set<string>();
  const persons: Arranged['persons'] = [];

  const replacement =
    (org: string, names: readonly Name[]) =>
    (value: string): string | undefined => {
      const name = names.find((n) => n.value === value);
      if (!name) return undefined;
      const there = pseudonyms.get(key(org, value));
      if (there !== undefined) return there;
      const gone = [value, name.dataSubject].some((v) => v !== undefined && isGone(org, v));
      if (!gone && name.dataSubject === undefined) return undefined;
      const id = salted(value, random);
      const pseudonym = pseudonymOf(id);
      pseudonyms.set(key(org, value), pseudonym);
      // Of somebody who is erased the salt is forgotten here, so that nobody can find out what it stands for.
      if (gone) late.add(pseudonym);
      if (!gone && name.dataSubject !== undefined)
        named.push({ org, value, dataSubject: name.dataSubject, pseudonym, salt: id.salt });
      return pseudonym;
    };

  const personOf = (org: string, dataSubject: string): Person | undefined => {
    if (people.has(key(org, dataSubject))) return people.get(key(org, dataSubject));
    const person = newPerson(random);
    people.set(key(org, dataSubject), person);
    persons.push({ org, dataSubject, person });
    return person;
  };

  const { chosen, late: again } = choose(items, known.entries);
  const entries = chosen.map(({ org, record, provisional }): Entry => {
    let log = logs.get(org);
    if (!log) logs.set(org, (log = new GrowingLog(org, known.heads.get(org) ?? emptyHead, now)));
    const dataSubject = holderOf(record);
    const gone = isGone(org, dataSubject) || idsChosen(record).some((id) => isGone(org, id));
    const values = gone ? {} : personalOf(record, random);
    const person = Object.keys(values).length === 0 ? undefined : personOf(org, dataSubject);
    const personal = person ? values : {};
    const leaf = leafOf(record, replacement(org, namesIn(record)), personal, late);
    const entry = {
      org,
      seq: log.nextSeq,
      class: retentionOf(record.action),
      month: log.month,
      record,
      provisional,
      leaf,
      leafHash: leafHash(leaf.bytes),
    };
    log.append(entry.leafHash, Date.parse(record.occurredAt));
    return person
      ? { ...entry, personal: { person: person.id, sealed: sealPersonal(personal, person.key, org, record.id) } }
      : entry;
  });
  const heads = new Map([...logs].map(([org, log]) => [org, log.head()]));
  return { entries, heads, subtrees: [...logs.values()].flatMap((log) => log.subtrees), named, persons, late: again };
}

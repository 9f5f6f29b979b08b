import { createHash } from 'node:crypto';
import { retentionOf, type AuditRecord, type Retention } from '@holdfast/contracts';
import { customerKey } from '@holdfast/platform';
import { leafHash } from '@holdfast/tlog';
import {
  callerChosenIds,
  dataSubjectOf,
  encryptPersonalData,
  newPersonalDataKey,
  saltedPersonalData,
  unknownDataSubject,
  type PersonalDataKey,
} from '../privacy/personal-data.js';
import { identifiersIn, pseudonymOf, salted, type Identifier, type Random } from '../privacy/pseudonyms.js';
import { leafOf, type Leaf } from './leaf.js';
import { emptyLogHead, LogGrowth, type LogHead, type Subtree } from './log-head.js';

/** A record to append to the log of an organization, an erasure to execute, or both. */
export interface AppendItem {
  org: string;
  record?: AuditRecord;
  /** The gateway does not know the result of the command: a handler's record of the same id replaces this one. */
  provisional?: boolean;
  /** The customer or person whose erasure this record reports. */
  erases?: string;
}

/** The stored state that a batch depends on, read while the heads of its logs are locked. */
export interface BatchState {
  heads: ReadonlyMap<string, LogHead>;
  /** Whether the entry came from a provisional record, by key() of organization and record id. */
  entries: ReadonlyMap<string, boolean>;
  /** By key() of organization and value. */
  pseudonyms: ReadonlyMap<string, string>;
  /** By key() of organization and data subject; undefined for keys that cannot be decrypted. */
  personalDataKeys: ReadonlyMap<string, PersonalDataKey | undefined>;
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
  personalData?: { keyId: string; sealed: Buffer };
}

/** All rows that a batch writes. */
export interface BatchPlan {
  entries: Entry[];
  heads: Map<string, LogHead>;
  /** Subtrees that have become complete. */
  subtrees: Subtree[];
  newMappings: (Required<Identifier> & { org: string; pseudonym: string; salt: Buffer })[];
  newKeys: { org: string; dataSubject: string; key: PersonalDataKey }[];
  /** Handlers' records that came after the provisional record of the same id was appended. */
  lateRecords: AuditRecord[];
}

export function key(org: string, id: string): string {
  return `${org}/${id}`;
}

/**
 * The id under which a handler's record is appended when the provisional record took its own id. It is derived, so that
 * it is the same at each delivery.
 */
export function lateId(id: string): string {
  const hex = createHash('sha256').update(`late ${id}`).digest('hex');
  // RFC 9562 §5.8: version 8, for custom formats.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

/**
 * Plans the entries of a batch, in the order of its items: each record id once, `seq` without a gap, ids and personal
 * values replaced. Pure, except for `random`.
 */
export function planBatch(items: readonly AppendItem[], state: BatchState, now: Date, random: Random): BatchPlan {
  const isErased = erasedValues(items, state);
  const pseudonyms = pseudonymizer(state, isErased, random);
  const personalDataKeys = new Map(state.personalDataKeys);
  const newKeys: BatchPlan['newKeys'] = [];
  const logs = new Map<string, LogGrowth>();

  const personalDataKeyOf = (org: string, dataSubject: string): PersonalDataKey | undefined => {
    const existing = key(org, dataSubject);
    if (personalDataKeys.has(existing)) return personalDataKeys.get(existing);
    const created = newPersonalDataKey(random);
    personalDataKeys.set(existing, created);
    newKeys.push({ org, dataSubject, key: created });
    return created;
  };

  const { selected, lateRecords } = selectRecords(items, state.entries);
  const entries = selected.map(({ org, record, provisional }): Entry => {
    let log = logs.get(org);
    if (!log) logs.set(org, (log = new LogGrowth(org, state.heads.get(org) ?? emptyLogHead, now)));
    const dataSubject = dataSubjectOf(record);
    const erased = isErased(org, dataSubject) || callerChosenIds(record).some((id) => isErased(org, id));
    const values = erased ? {} : saltedPersonalData(record, random);
    const dataKey = Object.keys(values).length === 0 ? undefined : personalDataKeyOf(org, dataSubject);
    const personal = dataKey ? values : {};
    const replacement = pseudonyms.replacementIn(org, identifiersIn(record));
    const leaf = leafOf(record, replacement, personal, pseudonyms.ofErased);
    const seq = log.nextSeq;
    const hash = leafHash(leaf.bytes);
    const month = log.append(hash, Date.parse(record.occurredAt));
    const entry = { org, seq, class: retentionOf(record.action), month, record, provisional, leaf, leafHash: hash };
    if (!dataKey) return entry;
    const sealed = encryptPersonalData(personal, dataKey.key, org, record.id);
    return { ...entry, personalData: { keyId: dataKey.id, sealed } };
  });
  return {
    entries,
    heads: new Map([...logs].map(([org, log]) => [org, log.head()])),
    subtrees: [...logs.values()].flatMap((log) => log.subtrees),
    newMappings: pseudonyms.newMappings,
    newKeys,
    lateRecords,
  };
}

/** Returns the test whether a value was erased before, or is erased by an item of this batch. */
function erasedValues(items: readonly AppendItem[], state: BatchState): (org: string, value: string) => boolean {
  const erasures = items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, erases }]));
  const values = new Set(erasures.map(({ org, erases }) => key(org, erases)));
  const orgs = new Set(erasures.map(({ org }) => org));
  return (org, value) =>
    // Each erasure also deletes what callers chose as ids of requests that named no customer.
    (value === unknownDataSubject && orgs.has(org)) ||
    values.has(key(org, value)) ||
    state.erased.has(customerKey(org, value).toString('hex'));
}

function pseudonymizer(state: BatchState, isErased: (org: string, value: string) => boolean, random: Random) {
  const assigned = new Map(state.pseudonyms);
  const newMappings: BatchPlan['newMappings'] = [];
  /** Pseudonyms of ids that were erased before their record came. */
  const ofErased = new Set<string>();

  const replacementIn =
    (org: string, identifiers: readonly Identifier[]) =>
    (value: string): string | undefined => {
      const identifier = identifiers.find((i) => i.value === value);
      if (!identifier) return undefined;
      const existing = assigned.get(key(org, value));
      if (existing !== undefined) return existing;
      const { dataSubject } = identifier;
      const erased = isErased(org, value) || (dataSubject !== undefined && isErased(org, dataSubject));
      if (!erased && dataSubject === undefined) return undefined;
      const id = salted(value, random);
      const pseudonym = pseudonymOf(id);
      assigned.set(key(org, value), pseudonym);
      // The salt of an erased id is not stored, so that the pseudonym cannot be matched with guessed ids.
      if (erased) ofErased.add(pseudonym);
      else if (dataSubject !== undefined) newMappings.push({ org, value, dataSubject, pseudonym, salt: id.salt });
      return pseudonym;
    };
  return { replacementIn, newMappings, ofErased };
}

type SelectedItem = Required<Pick<AppendItem, 'org' | 'record' | 'provisional'>>;

/**
 * Selects the records to append: one per id, the handler's rather than the gateway's provisional one, and none that has
 * an entry already.
 */
function selectRecords(
  items: readonly AppendItem[],
  entries: BatchState['entries'],
): { selected: SelectedItem[]; lateRecords: AuditRecord[] } {
  const selected = new Map<string, SelectedItem>();
  const lateRecords: AuditRecord[] = [];
  for (const { org, record, provisional = false } of items) {
    if (!record) continue;
    const id = key(org, record.id);
    const existingIsProvisional = entries.get(id);
    if (existingIsProvisional === undefined) {
      if (!selected.has(id) || selected.get(id)!.provisional) selected.set(id, { org, record, provisional });
    } else if (existingIsProvisional && !provisional) {
      const late = { ...record, id: lateId(record.id) };
      if (entries.has(key(org, late.id)) || selected.has(key(org, late.id))) continue;
      selected.set(key(org, late.id), { org, record: late, provisional });
      lateRecords.push(record);
    }
  }
  return { selected: [...selected.values()], lateRecords };
}

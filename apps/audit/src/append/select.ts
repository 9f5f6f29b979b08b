import { createHash } from 'node:crypto';
import type { AuditRecord } from '@holdfast/contracts';

/** Something that asks for a place in the log of an organization. */
export interface Item {
  org: string;
  record?: AuditRecord;
  /** The record is the gateway's guess of what happened: a handler's of the same id wins. */
  provisional?: boolean;
  /** The customer who is erased by what is recorded here. */
  erases?: string;
}

export function key(org: string, id: string): string {
  return `${org}/${id}`;
}

/**
 * A second id for a handler's record whose own was given to the gateway's guess; the same each time it is delivered.
 */
export function lateId(id: string): string {
  const hex = createHash('sha256').update(`late ${id}`).digest('hex');
  // RFC 9562 §5.8: version 8, of our own making.
  return `${hex.slice(0, 8)}-${hex.slice(8, 12)}-8${hex.slice(13, 16)}-a${hex.slice(17, 20)}-${hex.slice(20, 32)}`;
}

type Chosen = Required<Pick<Item, 'org' | 'record' | 'provisional'>>;

/**
 * Which records get a place: one of each id, the handler's rather than the gateway's guess, none that has one already.
 * @param entries whether the entry that is there came from a guess, by key() of organization and record id
 */
export function choose(
  items: readonly Item[],
  entries: ReadonlyMap<string, boolean>,
): { chosen: Chosen[]; late: AuditRecord[] } {
  const chosen = new Map<string, Chosen>();
  const late: AuditRecord[] = [];
  for (const { org, record, provisional = false } of items) {
    if (!record) continue;
    const place = key(org, record.id);
    const guessed = entries.get(place);
    if (guessed === undefined) {
      if (!chosen.has(place) || chosen.get(place)!.provisional) chosen.set(place, { org, record, provisional });
    } else if (guessed && !provisional) {
      const again = { ...record, id: lateId(record.id) };
      if (entries.has(key(org, again.id)) || chosen.has(key(org, again.id))) continue;
      chosen.set(key(org, again.id), { org, record: again, provisional });
      late.push(record);
    }
  }
  return { chosen: [...chosen.values()], late };
}

import type { AuditEvent, AuditRecord } from '@holdfast/contracts';
import type { Personal } from '../privacy/personal-data.js';
import { commitment, pseudonymForm } from '../privacy/pseudonym.js';

/** An id in a record that belongs to a customer or person. */
export interface Name {
  value: string;
  /**
   * Absent when the record's writer did not know whom the id belongs to: then it is replaced only if somebody else did.
   */
  dataSubject?: string;
}

/** What the log keeps of a record: its bytes, and the columns by which it is found. */
export interface Leaf {
  bytes: Buffer;
  actorId: string;
  targets: string[];
}

const ofSomebody = new Set(['customer', 'credential', 'offer']);
const somebody = new Set(['customer', 'person']);

/** Every id in a record that names somebody, or may. */
export function namesIn({ actor, targets }: AuditRecord): Name[] {
  const names: Name[] = targets
    .filter(({ type, dataSubject }) => dataSubject !== undefined || ofSomebody.has(type))
    .map(({ type, id, dataSubject = type === 'customer' ? id : undefined }) => ({
      value: id,
      ...(dataSubject !== undefined && { dataSubject }),
    }));
  return somebody.has(actor.type) ? [...names, { value: actor.id, dataSubject: actor.id }] : names;
}

/**
 * The bytes that the log will for ever prove: UTF-8 JSON without `seq`, which the place in the tree authenticates, with
 * pseudonyms in place of names and hashes in place of personal values (docs/adr/0005-audit-record.md). `replacement`
 * gives the pseudonym of an id, or undefined for one that stays. `late` holds pseudonyms that were made when whom they
 * stand for was erased already: the leaf says of these that they never opened, so that a verifier can tell them from
 * names taken away.
 */
export function leafOf(
  record: AuditRecord,
  replacement: (value: string) => string | undefined,
  personal: Personal = {},
  late: ReadonlySet<string> = new Set(),
): Leaf {
  const actor = somebody.has(record.actor.type)
    ? { type: record.actor.type, id: replacement(record.actor.id) ?? record.actor.id }
    : record.actor;
  const targets = record.targets.map(({ type, id }) => ({ type, id: replacement(id) ?? id }));
  const { address: _, userAgent: __, callerId: ____, callerTraceparent: _____, ...request } = record.request;
  const { reason: ___, ...changes } = record.changes ?? {};
  const hashes = Object.entries(personal).map(([field, value]) => [field, commitment(value).toString('base64url')]);
  const erased = [...new Set([actor.id, ...targets.map((t) => t.id)])].filter((id) => late.has(id));
  const leaf = {
    ...record,
    actor,
    targets,
    request,
    ...(record.changes && { changes }),
    ...(erased.length > 0 && { erased }),
    ...(hashes.length > 0 && { personal: Object.fromEntries(hashes) as Record<string, string> }),
  };
  return {
    bytes: Buffer.from(JSON.stringify(leaf)),
    actorId: actor.id,
    targets: [...new Set(targets.map((t) => t.id))],
  };
}

/** The other way round, as far as pseudonyms still mean somebody and values can still be opened. */
export function eventOf(
  seq: number,
  leaf: Buffer,
  names: ReadonlyMap<string, { value: string }>,
  opened: Personal = {},
): AuditEvent {
  const {
    id,
    personal: _,
    erased: __,
    ...record
  } = JSON.parse(leaf.toString()) as Omit<AuditEvent, 'seq'> & { personal?: unknown; erased?: unknown };
  const open = <T extends { id: string }>(named: T): T => ({ ...named, id: names.get(named.id)?.value ?? named.id });
  const { reason, requestId, ...origin } = opened;
  // What the caller chose stands in the place of ours, as long as it may be known.
  const request = {
    ...record.request,
    ...Object.fromEntries(Object.entries(origin).map(([field, { value }]) => [field, value])),
    ...(requestId && { id: requestId.value }),
  };
  const changes = { ...record.changes, ...(reason && { reason: { to: reason.value } }) };
  return {
    id,
    seq,
    ...record,
    actor: open(record.actor),
    targets: record.targets.map(open),
    request,
    ...((record.changes ?? reason) && { changes }),
  };
}

/** The ids in a leaf that look like pseudonyms. */
export function idsIn(leaf: Buffer): string[] {
  const { actor, targets } = JSON.parse(leaf.toString()) as Pick<AuditEvent, 'actor' | 'targets'>;
  return [actor.id, ...targets.map((t) => t.id)].filter((id) => pseudonymForm.test(id));
}

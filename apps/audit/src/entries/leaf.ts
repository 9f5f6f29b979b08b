import type { AuditEvent, AuditRecord } from '@holdfast/contracts';

/** An id in a record that belongs to a customer or person. */
export interface Name {
  value: string;
  /** Absent when the record's writer did not know whom the id belongs to: then it is replaced only if somebody else did. */
  holder?: string;
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
    .filter(({ type, holder }) => holder !== undefined || ofSomebody.has(type))
    .map(({ type, id, holder = type === 'customer' ? id : undefined }) => ({ value: id, ...(holder !== undefined && { holder }) }));
  return somebody.has(actor.type) ? [...names, { value: actor.id, holder: actor.id }] : names;
}

/**
 * The bytes that the log will for ever prove: UTF-8 JSON without `seq`, which the place in the tree authenticates, and
 * with pseudonyms in place of names (docs/adr/0005-audit-record.md). `replacement` gives the pseudonym of an id, or
 * undefined for one that stays.
 */
export function leafOf(record: AuditRecord, replacement: (value: string) => string | undefined): Leaf {
  const actor = somebody.has(record.actor.type) ? { type: record.actor.type, id: replacement(record.actor.id) ?? record.actor.id } : record.actor;
  const targets = record.targets.map(({ type, id }) => ({ type, id: replacement(id) ?? id }));
  return {
    bytes: Buffer.from(JSON.stringify({ ...record, actor, targets })),
    actorId: actor.id,
    targets: [...new Set(targets.map((t) => t.id))],
  };
}

/** The other way round, as far as the pseudonyms still mean somebody. */
export function eventOf(seq: number, leaf: Buffer, valueOf: ReadonlyMap<string, string>): AuditEvent {
  const { id, ...record } = JSON.parse(leaf.toString()) as Omit<AuditEvent, 'seq'>;
  const open = <T extends { id: string }>(named: T): T => ({ ...named, id: valueOf.get(named.id) ?? named.id });
  return { id, seq, ...record, actor: open(record.actor), targets: record.targets.map(open) };
}

/** 128 random bits in base64url. */
const pseudonymForm = /^[\w-]{22}$/;

/** The ids in a leaf that look like pseudonyms. */
export function idsIn(leaf: Buffer): string[] {
  const { actor, targets } = JSON.parse(leaf.toString()) as Pick<AuditEvent, 'actor' | 'targets'>;
  return [actor.id, ...targets.map((t) => t.id)].filter((id) => pseudonymForm.test(id));
}

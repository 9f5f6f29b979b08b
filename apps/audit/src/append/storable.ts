import type { AuditRecord } from '@holdfast/contracts';

/**
 * As long as a filter may be. An index takes no more than some 2,700 bytes, and callers choose what their paths hold.
 */
const longest = 128;

/**
 * An id as a text column can hold it: without NUL and lone surrogates, which PostgreSQL does not know, and not too
 * long.
 */
export function storableId(id: string): string {
  const cut = id.length > longest ? `${id.slice(0, longest - 1)}…` : id;
  return cut.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A record that can be stored whatever a caller has put into a path: one bad id must not spoil the batch it is in. */
export function storable(record: AuditRecord): AuditRecord {
  const { actor, targets } = record;
  return {
    ...record,
    actor: { ...actor, id: storableId(actor.id) },
    targets: targets.map(({ type, id, dataSubject }) => ({
      type,
      id: storableId(id),
      ...(dataSubject !== undefined && { dataSubject: storableId(dataSubject) }),
    })),
  };
}

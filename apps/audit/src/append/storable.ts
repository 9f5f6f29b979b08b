import type { AuditRecord } from '@holdfast/contracts';

/** The limit of filters, too. An index row takes about 2,700 bytes at most, and callers choose ids in their paths. */
const maxIdLength = 128;

/** An id as a text column can store it: without NUL and lone surrogates, which PostgreSQL rejects, and not too long. */
export function storableId(id: string): string {
  const cut = id.length > maxIdLength ? `${id.slice(0, maxIdLength - 1)}…` : id;
  return cut.toWellFormed().replaceAll('\0', '\uFFFD');
}

/** A record that PostgreSQL accepts, whatever a caller has put into a path: one bad id must not fail its batch. */
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

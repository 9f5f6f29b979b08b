import type { AuditEvent, AuditRecord } from '@holdfast/contracts';
import type { PersonalData } from '../privacy/personal-data.js';
import { commitment, isHuman, pseudonymForm } from '../privacy/pseudonyms.js';

/** The stored form of a record: its bytes, and the columns by which lists find it. */
export interface Leaf {
  bytes: Buffer;
  actorId: string;
  targets: string[];
}

/**
 * The bytes that the log proves: UTF-8 JSON without `seq`, which the leaf index authenticates, with pseudonyms instead
 * of ids and hashes instead of personal values (docs/adr/0005-audit-record.md). These bytes are a public format and
 * never change.
 * @param replacement the pseudonym of an id, or undefined for an id that stays
 * @param erasedBefore pseudonyms that were made after their data subject was erased. The leaf lists them as `erased`,
 * so that a verifier can tell them from pseudonyms whose mapping was removed by tampering
 */
export function leafOf(
  record: AuditRecord,
  replacement: (value: string) => string | undefined,
  personal: PersonalData = {},
  erasedBefore: ReadonlySet<string> = new Set(),
): Leaf {
  const actor = isHuman(record.actor)
    ? { type: record.actor.type, id: replacement(record.actor.id) ?? record.actor.id }
    : record.actor;
  const targets = record.targets.map(({ type, id }) => ({ type, id: replacement(id) ?? id }));
  const { address: _, userAgent: __, callerId: ____, callerTraceparent: _____, ...request } = record.request;
  const { reason: ___, ...changes } = record.changes ?? {};
  const hashes = Object.entries(personal).map(([field, value]) => [field, commitment(value).toString('base64url')]);
  const erased = [...new Set([actor.id, ...targets.map((t) => t.id)])].filter((id) => erasedBefore.has(id));
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

/** The inverse of leafOf, as far as pseudonyms have a mapping and personal data can be decrypted. */
export function eventOf(
  seq: number,
  leaf: Buffer,
  mappings: ReadonlyMap<string, { value: string }>,
  personal: PersonalData = {},
): AuditEvent {
  const {
    id,
    personal: _,
    erased: __,
    ...record
  } = JSON.parse(leaf.toString()) as Omit<AuditEvent, 'seq'> & { personal?: unknown; erased?: unknown };
  const resolved = <T extends { id: string }>(ref: T): T & { pseudonym?: string } => {
    const mapping = mappings.get(ref.id);
    return mapping ? { ...ref, id: mapping.value, pseudonym: ref.id } : ref;
  };
  const { reason, requestId, ...origin } = personal;
  // The caller's request id replaces ours until it is erased.
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
    actor: resolved(record.actor),
    targets: record.targets.map(resolved),
    request,
    ...((record.changes ?? reason) && { changes }),
  };
}

/** The ids in a leaf that look like pseudonyms. */
export function pseudonymsIn(leaf: Buffer): string[] {
  const { actor, targets } = JSON.parse(leaf.toString()) as Pick<AuditEvent, 'actor' | 'targets'>;
  return [actor.id, ...targets.map((t) => t.id)].filter((id) => pseudonymForm.test(id));
}

import {
  maxAuditRecordBytes,
  type Action,
  type AuditRecord,
  type AuditTarget,
  type RequestContext,
} from '@holdfast/contracts';
import { unprocessable } from '../errors/app-error.js';

type Changes = NonNullable<AuditRecord['changes']>;

export interface Audited {
  action: Action;
  targets: AuditTarget[];
  outcome: AuditRecord['outcome'];
  changes?: Changes;
}

/** Lists that are longer as JSON, before and after together, are recorded as what was added and removed. */
const maxListBytes = 4096;

/**
 * The audit record of a request. Actor and request come from the request context only.
 * @throws invalid_request when the record would be too large, so that the change is not made
 */
export function auditRecord(
  { auditId, actor, request }: RequestContext,
  now: Date,
  { changes, ...what }: Audited,
): AuditRecord {
  const base = { id: auditId, occurredAt: now.toISOString(), actor, request, ...what };
  if (!changes) return base;
  const record = { ...base, changes: withShortLists(changes) };
  requireRecordable(record);
  return record;
}

/** Size of a record as JSON: about that of its entry in the log, and of its part of a message. */
export function auditRecordBytes(record: AuditRecord): number {
  return Buffer.byteLength(JSON.stringify(record));
}

/** To be called before a change commits. @throws invalid_request when its record would be too large */
export function requireRecordable(record: AuditRecord): void {
  const bytes = auditRecordBytes(record);
  if (bytes <= maxAuditRecordBytes) return;
  const detail =
    `changes so much at once that its audit record would have ${bytes} bytes, and one may have ` +
    `${maxAuditRecordBytes}. Change fewer or shorter values with each request`;
  throw unprocessable([{ pointer: '#', detail }]);
}

function withShortLists(changes: Changes): Changes {
  return Object.fromEntries(Object.entries(changes).map(([field, change]) => [field, withShortList(change)]));
}

function withShortList(change: Changes[string]): Changes[string] {
  const { from, to } = change;
  if (!isListOfStrings(from) || !isListOfStrings(to) || bytesOf(from) + bytesOf(to) <= maxListBytes) return change;
  return {
    from: { count: from.length, removed: without(from, to) },
    to: { count: to.length, added: without(to, from) },
  };
}

/** The values of a list that another one lacks; a value that is there twice counts twice. */
function without(list: readonly string[], others: readonly string[]): string[] {
  const left = new Map<string, number>();
  for (const value of others) left.set(value, (left.get(value) ?? 0) + 1);
  return list.filter((value) => {
    const count = left.get(value) ?? 0;
    left.set(value, count - 1);
    return count <= 0;
  });
}

function isListOfStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string');
}

function bytesOf(list: readonly string[]): number {
  return Buffer.byteLength(JSON.stringify(list));
}

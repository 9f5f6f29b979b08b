import { retentionNames, type ExportedAuditEntry } from '@holdfast/contracts';
import { FormatError } from '@holdfast/tlog';
import { isObject, type LogEnd } from './exported-log.js';

/** `2026-11-21T09:30:00.000Z`, from 1970 to 9999. */
const timeForm =
  /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])-(?:0[1-9]|[12]\d|3[01])T(?:[01]\d|2[0-3]):[0-5]\d:[0-5]\d\.\d{3}Z$/;
const monthForm = /^(?:19[7-9]\d|[2-9]\d{3})-(?:0[1-9]|1[0-2])$/;
const classes = new Set<unknown>(retentionNames);

const isString = (value: unknown): value is string => typeof value === 'string';
const isCount = (value: unknown): value is number => Number.isSafeInteger(value) && (value as number) >= 0;
const isMonth = (value: unknown): value is string => isString(value) && monthForm.test(value);
/** Times of this one form are ordered as their texts are. */
export function isTime(value: unknown): value is string {
  if (!isString(value) || !timeForm.test(value)) return false;
  // The form allows days that not every month has.
  if (value.slice(8, 10) <= '28') return true;
  const time = new Date(value);
  return !Number.isNaN(time.getTime()) && time.toISOString() === value;
}

type Members = Record<string, { is: (value: unknown) => boolean; isOptional?: true }>;

const foundMembers: Members = Object.fromEntries(
  ['id', 'occurredAt', 'action', 'actor', 'outcome'].map((name) => [name, { is: isString }]),
);
foundMembers.targets = { is: (value) => Array.isArray(value) && value.every(isString) };

const entryMembers: Members = {
  seq: { is: isCount },
  leaf: { is: isString, isOptional: true },
  leafHash: { is: isString },
  class: { is: (value) => classes.has(value), isOptional: true },
  month: { is: isMonth, isOptional: true },
  lastAt: { is: isTime, isOptional: true },
  found: { is: isObject, isOptional: true },
  names: { is: Array.isArray, isOptional: true },
  personal: { is: isObject, isOptional: true },
};

const endMembers: Members = {
  type: { is: (value) => value === 'end' },
  count: { is: isCount },
  lastSeq: { is: isCount },
  checkpoint: { is: isString },
  lateMs: { is: isCount, isOptional: true },
  began: { is: isCount, isOptional: true },
  broken: { is: isObject, isOptional: true },
};
const brokenMembers: Members = { detail: { is: isString }, since: { is: isString }, unsigned: { is: isCount } };

/** @throws FormatError when the entry has other members than those of the format, or values of another form */
export function assertEntryForm(entry: ExportedAuditEntry): void {
  assertMembers(entry, entryMembers, 'it');
  if (entry.found) assertMembers(entry.found, foundMembers, 'its "found"');
}

/** @throws FormatError, as assertEntryForm() */
export function assertEndForm(end: LogEnd): void {
  assertMembers(end, endMembers, 'it');
  if (end.broken) assertMembers(end.broken, brokenMembers, 'its "broken"');
}

/** A mapping or a personal value. @throws FormatError, as assertEntryForm() */
export function assertKnown(object: object, names: readonly string[], what: string): void {
  for (const name of Object.keys(object))
    if (!names.includes(name)) throw new FormatError(`${what} has the unknown member ${JSON.stringify(name)}`);
}

function assertMembers(object: object, members: Members, what: string): void {
  assertKnown(object, Object.keys(members), what);
  for (const [name, { is, isOptional }] of Object.entries(members)) {
    const value = (object as Record<string, unknown>)[name];
    if (value === undefined && isOptional) continue;
    if (value === undefined) throw new FormatError(`${what} has no ${JSON.stringify(name)}`);
    if (!is(value)) throw new FormatError(`${what} has a ${JSON.stringify(name)} of another form`);
  }
}

import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { AuditRecord } from '@holdfast/contracts';
import { seal, unseal } from '@holdfast/platform';
import { namesIn } from '../append/leaf.js';
import type { EncryptionKeys } from './key-encryption.js';
import { salted, type Random, type Salted } from './pseudonym.js';

const logger = new Logger('persons');

/** A customer or person as the log knows them: by a random id, under a key of their own. */
export interface Person {
  id: string;
  key: Buffer;
}

/**
 * What a request tells of a human, and what is told about one: why a credential was suspended or revoked is free text.
 * The ids that a caller chose for its request may be those of a customer: `requestId` is its X-Request-Id.
 */
export const personalFields = ['address', 'userAgent', 'reason', 'requestId', 'traceparent'] as const;
/** Kept of a record that names nobody as well, under a key that goes with the next erasure, whoever is erased. */
const fieldsOfNobody = new Set<string>(['requestId', 'traceparent']);
/** Stands for the customer whom a record that names nobody may concern all the same. No id is empty. */
export const nobody = '';
export type Personal = Partial<Record<(typeof personalFields)[number], Salted>>;

export function newPerson(random: Random): Person {
  return { id: randomUUID(), key: random(32) };
}

/** Whose the personal values of a record are: who acts, or else the first dataSubject among its targets, or else nobody. */
export function holderOf(record: AuditRecord): string {
  const holders = namesIn(record).flatMap(({ dataSubject }) => dataSubject ?? []);
  return holders.find((dataSubject) => dataSubject === record.actor.id) ?? holders[0] ?? nobody;
}

/** Ids that a customer may have, in what the caller chose: as they are, and the 16 bytes of a trace as a UUID. */
export function idsChosen({ request: { callerId, callerTraceparent } }: AuditRecord): string[] {
  const trace = /^00-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-/.exec(callerTraceparent ?? '');
  return [
    ...(callerId === undefined ? [] : [callerId, callerId.toLowerCase()]),
    ...(trace ? [trace.slice(1).join('-')] : []),
  ];
}

/** What of a record is personal, by field: of most nothing. */
export function personalIn(record: AuditRecord): [field: (typeof personalFields)[number], value: string][] {
  const {
    request: { address, userAgent, callerId: requestId, callerTraceparent: traceparent },
    changes,
  } = record;
  const said = { address, userAgent, reason: changes?.reason?.to, requestId, traceparent };
  const fields = personalFields.filter((field) => typeof said[field] === 'string');
  const kept =
    fields.length > 0 && holderOf(record) === nobody ? fields.filter((field) => fieldsOfNobody.has(field)) : fields;
  return kept.map((field) => [field, said[field] as string]);
}

export function personalOf(record: AuditRecord, random: Random): Personal {
  return Object.fromEntries(personalIn(record).map(([field, value]) => [field, salted(value.toWellFormed(), random)]));
}

/** Bound to the entry, so that a value cannot be moved to another one. */
export function sealPersonal(personal: Personal, key: Buffer, org: string, record: string): Buffer {
  const plain = Object.entries(personal).map(([field, { value, salt }]) => [field, value, salt.toString('base64')]);
  return seal(key, JSON.stringify(plain), `audit personal ${org}/${record}`);
}

export function unsealPersonal(sealed: Buffer, key: Buffer, org: string, record: string): Personal {
  const plain = JSON.parse(unseal(key, sealed, `audit personal ${org}/${record}`).toString()) as [
    keyof Personal,
    string,
    string,
  ][];
  return Object.fromEntries(plain.map(([field, value, salt]) => [field, { value, salt: Buffer.from(salt, 'base64') }]));
}

/** Binds a sealed personal data key to its person. */
export function personKeyContext(org: string, person: string): string {
  return `audit person ${org}/${person}`;
}

/**
 * Undefined when no KEY_ENCRYPTION_KEY at hand is the one it was sealed with: the log goes on without that person's
 * values.
 */
export function openPersonKey(id: string, sealed: Buffer, keys: EncryptionKeys, org: string): Person | undefined {
  const key = keys.open(sealed, personKeyContext(org, id));
  if (!key)
    logger.error(
      `KEY_ENCRYPTION_KEY does not open the key of person ${id} of ${org}: addresses and user agents of theirs can be neither read nor kept`,
    );
  return key && { id, key };
}

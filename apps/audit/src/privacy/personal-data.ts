import { randomUUID } from 'node:crypto';
import { Logger } from '@nestjs/common';
import type { AuditRecord } from '@holdfast/contracts';
import { seal, unseal, type KeyEncryption } from '@holdfast/platform';
import { personalDataKeyContext } from './key-encryption.js';
import { identifiersIn, salted, type Random, type Salted } from './pseudonyms.js';

const logger = new Logger('personal data');

/** The key under which all personal data of one data subject is encrypted. Deleting it is erasure. */
export interface PersonalDataKey {
  id: string;
  key: Buffer;
}

/**
 * Fields of a record that may reveal something about a human. The reason of a suspension or revocation is free text.
 * Callers choose `requestId` (X-Request-Id) and `traceparent`, so these may contain a customer's id.
 */
const personalFields = ['address', 'userAgent', 'reason', 'requestId', 'traceparent'] as const;
type PersonalField = (typeof personalFields)[number];
export type PersonalData = Partial<Record<PersonalField, Salted>>;

/** Fields that records without a data subject keep as well, under a key that the next erasure of anybody deletes. */
const callerChosenFields = new Set<string>(['requestId', 'traceparent']);
/** Stands for the unknown customer whom a record without a data subject may concern. No id is empty. */
export const unknownDataSubject = '';

export function newPersonalDataKey(random: Random): PersonalDataKey {
  return { id: randomUUID(), key: random(32) };
}

/** The data subject of a record's personal data: the actor, else that of the first target that has one. */
export function dataSubjectOf(record: AuditRecord): string {
  const dataSubjects = identifiersIn(record).flatMap(({ dataSubject }) => dataSubject ?? []);
  return dataSubjects.find((id) => id === record.actor.id) ?? dataSubjects[0] ?? unknownDataSubject;
}

/** The request's ids that the caller chose: as they are, and the 16 bytes of a trace id as a UUID. */
export function callerChosenIds({ request: { callerId, callerTraceparent } }: AuditRecord): string[] {
  const trace = /^00-([0-9a-f]{8})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{4})([0-9a-f]{12})-/.exec(callerTraceparent ?? '');
  return [
    ...(callerId === undefined ? [] : [callerId, callerId.toLowerCase()]),
    ...(trace ? [trace.slice(1).join('-')] : []),
  ];
}

/** The personal values of a record, by field. Most records have none. */
export function personalValuesIn(record: AuditRecord): [field: PersonalField, value: string][] {
  const {
    request: { address, userAgent, callerId: requestId, callerTraceparent: traceparent },
    changes,
  } = record;
  const values = { address, userAgent, reason: changes?.reason?.to, requestId, traceparent };
  const present = personalFields.filter((field) => typeof values[field] === 'string');
  const stored =
    present.length > 0 && dataSubjectOf(record) === unknownDataSubject
      ? present.filter((field) => callerChosenFields.has(field))
      : present;
  return stored.map((field) => [field, values[field] as string]);
}

export function saltedPersonalData(record: AuditRecord, random: Random): PersonalData {
  return Object.fromEntries(
    personalValuesIn(record).map(([field, value]) => [field, salted(value.toWellFormed(), random)]),
  );
}

/** Bound to the entry, so that the values cannot be moved to another one. */
export function encryptPersonalData(data: PersonalData, key: Buffer, org: string, recordId: string): Buffer {
  const plain = Object.entries(data).map(([field, { value, salt }]) => [field, value, salt.toString('base64')]);
  return seal(key, JSON.stringify(plain), `audit personal ${org}/${recordId}`);
}

export function decryptPersonalData(sealed: Buffer, key: Buffer, org: string, recordId: string): PersonalData {
  const plain = JSON.parse(unseal(key, sealed, `audit personal ${org}/${recordId}`).toString()) as [
    PersonalField,
    string,
    string,
  ][];
  return Object.fromEntries(plain.map(([field, value, salt]) => [field, { value, salt: Buffer.from(salt, 'base64') }]));
}

/**
 * Undefined when the key was encrypted with an unknown KEY_ENCRYPTION_KEY. Entries are then appended and listed without
 * this personal data.
 */
export function decryptPersonalDataKey(
  id: string,
  sealed: Buffer,
  encryption: KeyEncryption,
  org: string,
): PersonalDataKey | undefined {
  const key = encryption.decrypt(sealed, personalDataKeyContext(org, id));
  if (!key)
    logger.error(
      `KEY_ENCRYPTION_KEY does not decrypt the personal data key ${id} of ${org}: the addresses and user agents of ` +
        'that customer can be neither read nor stored. Start audit with the earlier key as KEY_ENCRYPTION_KEY_PREVIOUS',
    );
  return key && { id, key };
}

import { createHash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { AuditRecord } from '@holdfast/contracts';
import { ReadDatabase, statement } from '@holdfast/data';

/** Random bytes. Tests pass a deterministic source. */
export type Random = (size: number) => Buffer;

export interface Salted {
  value: string;
  salt: Buffer;
}

/** An identifier and the salt of its pseudonym. Mappings without a salt can be resolved, but not verified. */
export type MappedIdentifier = Omit<Salted, 'salt'> & { salt: Buffer | null };

/** An id in a record that identifies a customer or person, or may. */
export interface Identifier {
  value: string;
  /**
   * Absent when the writer of the record did not know to whom the id belongs. The id is then replaced only if an
   * earlier record named its data subject.
   */
  dataSubject?: string;
}

/** The form of a pseudonym. */
export const pseudonymForm = /^[\w-]{22}$/;

const dataSubjectTypes = new Set(['customer', 'person']);
const ownedTypes = new Set([...dataSubjectTypes, 'credential', 'offer', 'passkey', 'access_request']);
const humanActors = new Set(['customer', 'person']);

export function isHuman(actor: { type: string }): boolean {
  return humanActors.has(actor.type);
}

export function salted(value: string, random: Random): Salted {
  return { value, salt: random(16) };
}

/** SHA-256(salt ‖ UTF-8 of the value). It can be verified with the salt, and without it reveals nothing. */
export function commitment({ value, salt }: Salted): Buffer {
  return createHash('sha256').update(salt).update(value).digest();
}

/** 128 bits of the commitment, in base64url: replaces an id in a leaf. */
export function pseudonymOf(value: Salted): string {
  return commitment(value).toString('base64url', 0, 16);
}

/** Every id in a record that identifies a customer or person, or may. */
export function identifiersIn({ actor, targets }: AuditRecord): Identifier[] {
  const identifiers: Identifier[] = targets
    .filter(({ type, dataSubject }) => dataSubject !== undefined || ownedTypes.has(type))
    .map(({ type, id, dataSubject = dataSubjectTypes.has(type) ? id : undefined }) => ({
      value: id,
      ...(dataSubject !== undefined && { dataSubject }),
    }));
  return isHuman(actor) ? [...identifiers, { value: actor.id, dataSubject: actor.id }] : identifiers;
}

const resolve = statement(
  'pseudonym_resolve',
  'SELECT pseudonym, value, salt FROM pseudonym_mapping WHERE org = $1 AND pseudonym = ANY ($2)',
);
const find = statement(
  'pseudonym_find',
  'SELECT value, pseudonym FROM pseudonym_mapping WHERE org = $1 AND value = ANY ($2)',
);

/** Reads the pseudonym mapping in both directions, one query each for a whole page. */
@Injectable()
export class PseudonymMappings {
  constructor(private readonly database: ReadDatabase) {}

  /** From pseudonym to id. Pseudonyms of erased customers and people are absent. */
  async resolve(org: string, pseudonyms: string[]): Promise<Map<string, MappedIdentifier>> {
    if (pseudonyms.length === 0) return new Map();
    const rows = await this.database.rows<MappedIdentifier & { pseudonym: string }>(resolve, [
      org,
      [...new Set(pseudonyms)],
    ]);
    return new Map(rows.map(({ pseudonym, value, salt }) => [pseudonym, { value, salt }]));
  }

  /** From id to pseudonym. */
  async find(org: string, values: string[]): Promise<Map<string, string>> {
    if (values.length === 0) return new Map();
    const rows = await this.database.rows<{ value: string; pseudonym: string }>(find, [org, values]);
    return new Map(rows.map((r) => [r.value, r.pseudonym]));
  }
}

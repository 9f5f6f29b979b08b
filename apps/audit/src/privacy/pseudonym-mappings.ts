import { Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import type { Salted } from './pseudonym.js';

const open = statement(
  'pseudonym_open',
  'SELECT pseudonym, value, salt FROM pseudonym WHERE org = $1 AND pseudonym = ANY ($2)',
);
const find = statement('pseudonym_find', 'SELECT value, pseudonym FROM pseudonym WHERE org = $1 AND value = ANY ($2)');

/** An id, and the salt of its pseudonym; those that are older than salts have none. */
export type Named = Omit<Salted, 'salt'> & { salt: Buffer | null };

/** Whom pseudonyms mean, and which pseudonym an id has: one query each for a whole page. */
@Injectable()
export class Names {
  constructor(private readonly database: Database) {}

  /** From pseudonym to id; those of an erased customer mean nobody any more. */
  async open(org: string, pseudonyms: string[]): Promise<Map<string, Named>> {
    if (pseudonyms.length === 0) return new Map();
    const rows = await this.database.rows<Named & { pseudonym: string }>(open, [org, [...new Set(pseudonyms)]]);
    return new Map(rows.map(({ pseudonym, value, salt }) => [pseudonym, { value, salt }]));
  }

  /** From id to pseudonym. */
  async find(org: string, values: string[]): Promise<Map<string, string>> {
    if (values.length === 0) return new Map();
    const rows = await this.database.rows<{ value: string; pseudonym: string }>(find, [org, values]);
    return new Map(rows.map((r) => [r.value, r.pseudonym]));
  }
}

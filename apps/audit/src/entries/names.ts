import { Database, statement } from '@holdfast/data';
import { Injectable } from '@nestjs/common';

const open = statement('pseudonym_open', 'SELECT pseudonym, value FROM pseudonym WHERE org = $1 AND pseudonym = ANY ($2)');
const find = statement('pseudonym_find', 'SELECT value, pseudonym FROM pseudonym WHERE org = $1 AND value = ANY ($2)');

/** Whom pseudonyms mean, and which pseudonym an id has: one query each for a whole page. */
@Injectable()
export class Names {
  constructor(private readonly database: Database) {}

  /** From pseudonym to id; those of an erased customer mean nobody any more. */
  async open(org: string, pseudonyms: string[]): Promise<Map<string, string>> {
    if (pseudonyms.length === 0) return new Map();
    const rows = await this.database.rows<{ pseudonym: string; value: string }>(open, [org, [...new Set(pseudonyms)]]);
    return new Map(rows.map((r) => [r.pseudonym, r.value]));
  }

  /** From id to pseudonym. */
  async find(org: string, values: string[]): Promise<Map<string, string>> {
    if (values.length === 0) return new Map();
    const rows = await this.database.rows<{ value: string; pseudonym: string }>(find, [org, values]);
    return new Map(rows.map((r) => [r.value, r.pseudonym]));
  }
}

import { Logger } from '@nestjs/common';
import type { Gauge } from 'prom-client';
import { statement, type Database, type Statement } from '@holdfast/data';
import type { Readiness } from './lifecycle.js';

const batchSize = 200;

/** An encrypted row. `id` is a UUID; `sealed` is in base64, or as the table's own expressions read and write it. */
export interface EncryptedRow {
  org: string;
  id: string;
  sealed: string;
  keyId: Buffer;
}

/** A table whose rows are encrypted with KEY_ENCRYPTION_KEY. */
export interface EncryptedTable {
  name: string;
  next: Statement;
  write: Statement;
  /** The row's `sealed`, encrypted with the current key; undefined when no configured key decrypts it. */
  reEncrypted: (row: EncryptedRow) => string | undefined;
}

/**
 * The table has the columns `org`, `id` and `encryption_key_id`, and an index on (encryption_key_id, id). One range of
 * `encryption_key_id` is read at a time, so that it is an index scan however many rows have the current key. SKIP
 * LOCKED: the transaction locks many rows and must never wait for one, or it could deadlock with an erasure.
 *
 * @param read SQL expression of `sealed`
 * @param write SQL assignment from `r.sealed`
 */
export function encryptedTable(
  name: string,
  { read, write, reEncrypted }: { read: string; write: string; reEncrypted: EncryptedTable['reEncrypted'] },
): EncryptedTable {
  return {
    name,
    next: statement(
      `${name}_next_encrypted`,
      `SELECT org, id::text AS id, ${read} AS sealed, encryption_key_id AS "keyId" FROM ${name}
       WHERE (encryption_key_id, id) > ($1::bytea, $2::uuid) AND encryption_key_id < $3::bytea
       ORDER BY encryption_key_id, id LIMIT ${batchSize} FOR NO KEY UPDATE SKIP LOCKED`,
    ),
    write: statement(
      `${name}_re_encrypt`,
      `UPDATE ${name} t SET ${write}, encryption_key_id = $4
       FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, sealed) WHERE t.org = r.org AND t.id = r.id`,
    ),
    reEncrypted,
  };
}

const announceKey = statement(
  'encryption_key_announce',
  'INSERT INTO encryption_key AS k (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET since = clock_timestamp()',
);
const newestKey = statement('encryption_key_newest', 'SELECT id FROM encryption_key ORDER BY since DESC LIMIT 1');

const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Sorts after the id of every key. */
const afterAllKeyIds = Buffer.alloc(9, 0xff);

interface Options {
  database: Database;
  /** Id of the current KEY_ENCRYPTION_KEY. */
  keyId: Buffer;
  tables: EncryptedTable[];
  /** What the rows are, in the plural: "keys of people". */
  what: string;
  /** Shows how many rows have another key. */
  gauge: Gauge;
  readiness: Readiness;
}

/**
 * After a rotation of KEY_ENCRYPTION_KEY, encrypts the rows of other keys with the current one, in batches. Erased rows
 * stay erased: only existing rows are updated. While replicas have different current keys, only those with the key that
 * was announced last do it, or two replicas would undo each other's work for ever
 * (docs/adr/0027-audit-keys-retries-drops-replays.md). It is the check of a KeyUse.
 */
export class TableReEncryption {
  private readonly logger = new Logger('re-encryption');
  private readonly countRemaining: Statement;
  private announced = false;
  /** How many rows no key decrypts. Set when a run re-encrypted nothing and rows with other keys are left. */
  private undecryptable = 0;
  private remaining = 0;

  constructor(private readonly options: Options) {
    const counts = options.tables.flatMap(({ name }) =>
      ['<', '>'].map((side) => `(SELECT count(*) FROM ${name} WHERE encryption_key_id ${side} $1)`),
    );
    this.countRemaining = statement('encrypted_with_other_keys', `SELECT (${counts.join(' + ')})::int AS count`);
    options.readiness.addRemarks(() => this.remarks());
  }

  /** @returns how many rows are not encrypted with the current key */
  async run(stopping: () => boolean = () => false): Promise<number> {
    const { database, keyId, tables } = this.options;
    if (!this.announced) await database.rows(announceKey, [keyId]);
    this.announced = true;
    const before = await this.count();
    if (before === this.undecryptable || !(await this.hasNewestKey())) return before;
    let done = 0;
    for (const table of tables) {
      done += await this.reEncryptRange(table, [Buffer.alloc(0), firstId], keyId, stopping);
      done += await this.reEncryptRange(table, [keyId, lastId], afterAllKeyIds, stopping);
    }
    const after = await this.count();
    this.undecryptable = done === 0 && !stopping() ? after : 0;
    this.logProgress(done, after);
    return after;
  }

  private async count(): Promise<number> {
    const { database, keyId, gauge } = this.options;
    const [row] = await database.rows<{ count: number }>(this.countRemaining, [keyId]);
    this.remaining = row!.count;
    gauge.set(this.remaining);
    return this.remaining;
  }

  private async hasNewestKey(): Promise<boolean> {
    const [row] = await this.options.database.rows<{ id: Buffer }>(newestKey);
    return row?.id.equals(this.options.keyId) ?? false;
  }

  private async reEncryptRange(
    { next, write, reEncrypted }: EncryptedTable,
    from: [Buffer, string],
    to: Buffer,
    stopping: () => boolean,
  ): Promise<number> {
    const { database, keyId } = this.options;
    let done = 0;
    for (let after = from; !stopping();) {
      const rows = await database.transaction(async (sql) => {
        const found = await sql.rows<EncryptedRow>(next, [...after, to]);
        const encrypted = found.flatMap((row) => {
          const sealed = reEncrypted(row);
          return sealed === undefined ? [] : [{ ...row, sealed }];
        });
        const columns = [
          encrypted.map(({ org }) => org),
          encrypted.map(({ id }) => id),
          encrypted.map(({ sealed }) => sealed),
        ];
        if (encrypted.length > 0) await sql.last(write, [...columns, keyId]);
        done += encrypted.length;
        return found;
      });
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = [last.keyId, last.id];
    }
    return done;
  }

  private logProgress(done: number, remaining: number): void {
    const { what } = this.options;
    if (remaining > 0 && remaining === this.undecryptable)
      this.logger.error(
        `${remaining} ${what} decrypt with neither KEY_ENCRYPTION_KEY nor KEY_ENCRYPTION_KEY_PREVIOUS: they were ` +
          'encrypted with another key, or changed. Start the service with that key as KEY_ENCRYPTION_KEY_PREVIOUS',
      );
    else if (remaining === 0 && done > 0)
      this.logger.log(
        `${done} ${what} were re-encrypted with the current KEY_ENCRYPTION_KEY, and none is left with another key`,
      );
  }

  /** Lines for /readyz. The service stays ready: it works with both keys. */
  private remarks(): string[] {
    if (this.remaining === 0) return [];
    return [`${this.remaining} ${this.options.what} are not encrypted with the current KEY_ENCRYPTION_KEY`];
  }
}

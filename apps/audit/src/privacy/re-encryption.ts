import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database, statement, type Statement } from '@holdfast/data';
import { KeyEncryption, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, Interval, Readiness } from '@holdfast/service';
import { pendingRecordContext, personalDataKeyContext } from './key-encryption.js';

const intervalMs = 5000;
const batchSize = 200;

const remainingRows = new Gauge({
  name: 'holdfast_audit_encrypted_with_other_keys',
  help:
    'Personal data keys and pending records that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

interface Row {
  org: string;
  id: string;
  sealed: string;
  keyId: Buffer;
}

/** A table whose rows are encrypted with KEY_ENCRYPTION_KEY. `id` is a UUID; `sealed` is read and written in base64. */
interface EncryptedTable {
  next: Statement;
  write: Statement;
  contextOf: (row: Row) => string;
}

/**
 * One range of `encryption_key_id` at a time, so that it is an index scan however many rows have the current key. SKIP
 * LOCKED: this transaction locks many rows and must never wait for one, or it could deadlock with an erasure that
 * deletes several.
 */
function encryptedTable(
  table: string,
  { read, write, contextOf }: { read: string; write: string; contextOf: (row: Row) => string },
): EncryptedTable {
  return {
    next: statement(
      `${table}_next_encrypted`,
      `SELECT org, id::text AS id, ${read} AS sealed, encryption_key_id AS "keyId" FROM ${table}
        WHERE (encryption_key_id, id) > ($1::bytea, $2::uuid) AND encryption_key_id < $3::bytea
        ORDER BY encryption_key_id, id LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
    ),
    write: statement(
      `${table}_re_encrypt`,
      `UPDATE ${table} t SET ${write}, encryption_key_id = $4
         FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, sealed) WHERE t.org = r.org AND t.id = r.id`,
    ),
    contextOf,
  };
}

const tables = [
  encryptedTable('personal_data_key', {
    read: "encode(key, 'base64')",
    write: "key = decode(r.sealed, 'base64')",
    contextOf: ({ org, id }) => personalDataKeyContext(org, id),
  }),
  encryptedTable('pending_record', {
    read: 'record',
    write: 'record = r.sealed',
    contextOf: () => pendingRecordContext,
  }),
];
const counts = ['personal_data_key', 'pending_record'].flatMap((table) =>
  ['<', '>'].map((side) => `(SELECT count(*) FROM ${table} WHERE encryption_key_id ${side} $1)`),
);
const countRemaining = statement('encrypted_with_other_keys', `SELECT (${counts.join(' + ')})::int AS count`);
const announceKey = statement(
  'encryption_key_announce',
  'INSERT INTO encryption_key AS k (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET since = clock_timestamp()',
);
const newestKey = statement('encryption_key_newest', 'SELECT id FROM encryption_key ORDER BY since DESC LIMIT 1');

const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Sorts after the id of every key. */
const afterAllKeyIds = Buffer.alloc(9, 0xff);

/**
 * After a rotation of KEY_ENCRYPTION_KEY, re-encrypts the rows of the previous key in batches. Erased rows stay erased:
 * only existing rows are updated. While replicas have different current keys, only those with the key that was
 * announced last re-encrypt, or two replicas would undo each other's work for ever
 * (docs/adr/0027-audit-keys-retries-drops-replays.md).
 */
@Injectable()
export class ReEncryption {
  private readonly logger = new Logger('re-encryption');
  private readonly encryption: KeyEncryption;
  private announced = false;
  /** How many rows neither key decrypts. Set when a run re-encrypted nothing and rows with other keys are left. */
  private undecryptable = 0;
  private remaining = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: KeyEncryptionConfig,
    readiness: Readiness,
  ) {
    this.encryption = new KeyEncryption(config, 'audit');
    readiness.addRemarks(() => this.readinessDetails());
  }

  /** @returns how many rows are not encrypted with the current key */
  @Interval({
    name: 're_encryption',
    intervalMs,
    failure: 'Failed to re-encrypt with the current KEY_ENCRYPTION_KEY',
  })
  async reEncryptAll(stopping: () => boolean = () => false): Promise<number> {
    if (!this.announced) await this.database.rows(announceKey, [this.encryption.keyId]);
    this.announced = true;
    const before = await this.count();
    if (before === this.undecryptable || !(await this.hasNewestKey())) return before;
    let done = 0;
    for (const table of tables) {
      done += await this.reEncryptRange(table, [Buffer.alloc(0), firstId], this.encryption.keyId, stopping);
      done += await this.reEncryptRange(table, [this.encryption.keyId, lastId], afterAllKeyIds, stopping);
    }
    const after = await this.count();
    this.undecryptable = done === 0 && !stopping() ? after : 0;
    this.logProgress(done, after);
    return after;
  }

  private async count(): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(countRemaining, [this.encryption.keyId]);
    this.remaining = row!.count;
    remainingRows.set(this.remaining);
    return this.remaining;
  }

  private async hasNewestKey(): Promise<boolean> {
    const [row] = await this.database.rows<{ id: Buffer }>(newestKey);
    return row?.id.equals(this.encryption.keyId) ?? false;
  }

  private async reEncryptRange(
    { next, write, contextOf }: EncryptedTable,
    from: [Buffer, string],
    to: Buffer,
    stopping: () => boolean,
  ): Promise<number> {
    let done = 0;
    for (let after = from; !stopping();) {
      const rows = await this.database.transaction(async (sql) => {
        const found = await sql.rows<Row>(next, [...after, to]);
        const encrypted = found.flatMap((row) => this.reEncrypted(row, contextOf(row)));
        if (encrypted.length > 0)
          await sql.last(write, [
            encrypted.map((r) => r.org),
            encrypted.map((r) => r.id),
            encrypted.map((r) => r.sealed),
            this.encryption.keyId,
          ]);
        done += encrypted.length;
        return found;
      });
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = [last.keyId, last.id];
    }
    return done;
  }

  /** The operator's records of dropped partitions contain no personal data and are stored as plain JSON. */
  private reEncrypted(row: Row, context: string): Row[] {
    if (row.sealed.startsWith('{')) return [row];
    const plain = this.encryption.decrypt(Buffer.from(row.sealed, 'base64'), context);
    return plain ? [{ ...row, sealed: this.encryption.encrypt(plain, context).toString('base64') }] : [];
  }

  private logProgress(done: number, remaining: number): void {
    if (remaining > 0 && remaining === this.undecryptable) {
      this.logger.error(
        `${remaining} personal data keys and pending records decrypt with neither KEY_ENCRYPTION_KEY nor ` +
          'KEY_ENCRYPTION_KEY_PREVIOUS: they were encrypted with another key, or changed. Start audit with that key ' +
          'as KEY_ENCRYPTION_KEY_PREVIOUS',
      );
    } else if (remaining === 0 && done > 0) {
      this.logger.log(
        `${done} personal data keys and pending records were re-encrypted with the current KEY_ENCRYPTION_KEY, and ` +
          `none is left with another key. ${removable}`,
      );
    }
  }

  /** Lines for /readyz. The service stays ready: it works with both keys. */
  private readinessDetails(): string[] {
    if (this.remaining > 0)
      return [
        `${this.remaining} personal data keys and pending records are not encrypted with the current ` +
          'KEY_ENCRYPTION_KEY',
      ];
    return this.config.KEY_ENCRYPTION_KEY_PREVIOUS && this.announced
      ? [`Nothing is encrypted with another key than KEY_ENCRYPTION_KEY. ${removable}`]
      : [];
  }
}

const removable = 'Once every replica reports this, KEY_ENCRYPTION_KEY_PREVIOUS can be removed';

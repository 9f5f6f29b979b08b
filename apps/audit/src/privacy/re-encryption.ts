import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database, statement, type Statement } from '@holdfast/data';
import { CONFIG, Readiness, repeat, Shutdown } from '@holdfast/service';
import type { AuditConfig } from '../config.js';
import { recordContext } from '../quarantine/pending-records.js';
import { EncryptionKeys } from './key-encryption.js';
import { personKeyContext } from './personal-data.js';

const intervalMs = 5000;
const batchSize = 200;

const remaining = new Gauge({
  name: 'holdfast_audit_sealed_with_other_keys',
  help: 'Personal data keys and waiting records that are not sealed with KEY_ENCRYPTION_KEY. At 0 in all replicas, KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

interface Row {
  org: string;
  id: string;
  sealed: string;
  keyId: Buffer;
}

/** A table whose rows are sealed with a key of the environment. `id` is a UUID; `sealed` travels in base64. */
interface SealedTable {
  next: Statement;
  write: Statement;
  contextOf: (row: Row) => string;
}

/**
 * One range of `key_id` at a time, so that it is an index scan however many rows have the current key. SKIP LOCKED:
 * this transaction holds many rows and must never wait for one, or it could deadlock with an erasure that deletes
 * several.
 */
function sealedTable(
  table: string,
  { id, sealed, contextOf }: { id: string; sealed: { read: string; write: string }; contextOf: (row: Row) => string },
): SealedTable {
  return {
    next: statement(
      `${table}_sealed`,
      `SELECT org, ${id}::text AS id, ${sealed.read} AS sealed, key_id AS "keyId" FROM ${table}
        WHERE (key_id, ${id}) > ($1::bytea, $2::uuid) AND key_id < $3::bytea ORDER BY key_id, ${id} LIMIT ${batchSize} FOR UPDATE SKIP LOCKED`,
    ),
    write: statement(
      `${table}_reseal`,
      `UPDATE ${table} t SET ${sealed.write}, key_id = $4 FROM unnest($1::text[], $2::uuid[], $3::text[]) AS r(org, id, sealed) WHERE t.org = r.org AND t.${id} = r.id`,
    ),
    contextOf,
  };
}

const tables = [
  sealedTable('person_key', {
    id: 'person',
    sealed: { read: "encode(key, 'base64')", write: "key = decode(r.sealed, 'base64')" },
    contextOf: ({ org, id }) => personKeyContext(org, id),
  }),
  sealedTable('provisional', {
    id: 'id',
    sealed: { read: 'record', write: 'record = r.sealed' },
    contextOf: () => recordContext,
  }),
];
const counted = ['person_key', 'provisional'].flatMap((table) =>
  ['<', '>'].map((side) => `(SELECT count(*) FROM ${table} WHERE key_id ${side} $1)`),
);
const count = statement('sealed_with_others', `SELECT (${counted.join(' + ')})::int AS count`);
const announce = statement(
  'encryption_key_current',
  'INSERT INTO encryption_key AS k (id) VALUES ($1) ON CONFLICT (id) DO UPDATE SET since = clock_timestamp()',
);
const newest = statement('encryption_key_newest', 'SELECT id FROM encryption_key ORDER BY since DESC LIMIT 1');

const firstId = '00000000-0000-0000-0000-000000000000';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
/** Behind every id of a key. */
const noKey = Buffer.alloc(9, 0xff);

/**
 * After a rotation of KEY_ENCRYPTION_KEY, seals anew what is sealed with the previous one, a batch at a time. What is
 * erased meanwhile stays erased: only rows that are there are updated. While replicas have different current keys,
 * those with the one that was started last do it, so that two do not undo each other's work for ever
 * (docs/adr/0027-audit-keys-retries-drops-replays.md).
 */
@Injectable()
export class ReEncryption implements OnApplicationBootstrap {
  private readonly logger = new Logger('re-encryption');
  private readonly keys: EncryptionKeys;
  private announced = false;
  /** How many rows were left that no key opens, when a round ended with these alone. */
  private closed = 0;
  private left = 0;

  constructor(
    private readonly database: Database,
    @Inject(CONFIG) private readonly config: Pick<AuditConfig, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS'>,
    private readonly shutdown: Shutdown,
    readiness: Readiness,
  ) {
    this.keys = new EncryptionKeys(config);
    readiness.mentions(() => this.words());
  }

  onApplicationBootstrap(): void {
    const failed = (error: unknown) =>
      this.logger.warn(`re-encryption with the current KEY_ENCRYPTION_KEY must wait: ${String(error)}`);
    repeat(this.shutdown, { every: intervalMs, work: (stopping) => this.round(stopping), failed });
  }

  /** @returns how many rows are not sealed with the current key */
  async round(stopping: () => boolean = () => false): Promise<number> {
    if (!this.announced) await this.database.rows(announce, [this.keys.id]);
    this.announced = true;
    const before = await this.count();
    if (before === this.closed || !(await this.isNewest())) return before;
    let resealed = 0;
    for (const table of tables) {
      resealed += await this.reseal(table, [Buffer.alloc(0), firstId], this.keys.id, stopping);
      resealed += await this.reseal(table, [this.keys.id, lastId], noKey, stopping);
    }
    const after = await this.count();
    this.closed = resealed === 0 && !stopping() ? after : 0;
    this.report(resealed, after);
    return after;
  }

  private async count(): Promise<number> {
    const [row] = await this.database.rows<{ count: number }>(count, [this.keys.id]);
    this.left = row!.count;
    remaining.set(this.left);
    return this.left;
  }

  private async isNewest(): Promise<boolean> {
    const [row] = await this.database.rows<{ id: Buffer }>(newest);
    return row?.id.equals(this.keys.id) ?? false;
  }

  private async reseal(
    { next, write, contextOf }: SealedTable,
    from: [Buffer, string],
    to: Buffer,
    stopping: () => boolean,
  ): Promise<number> {
    let done = 0;
    for (let after = from; !stopping();) {
      const rows = await this.database.transaction(async (sql) => {
        const found = await sql.rows<Row>(next, [...after, to]);
        const sealed = found.flatMap((row) => this.resealed(row, contextOf(row)));
        if (sealed.length > 0)
          await sql.last(write, [
            sealed.map((r) => r.org),
            sealed.map((r) => r.id),
            sealed.map((r) => r.sealed),
            this.keys.id,
          ]);
        done += sealed.length;
        return found;
      });
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = [last.keyId, last.id];
    }
    return done;
  }

  /** The operator's records of what was dropped name nobody and are not sealed. */
  private resealed(row: Row, context: string): Row[] {
    if (row.sealed.startsWith('{')) return [row];
    const plain = this.keys.open(Buffer.from(row.sealed, 'base64'), context);
    return plain ? [{ ...row, sealed: this.keys.seal(plain, context).toString('base64') }] : [];
  }

  private report(resealed: number, left: number): void {
    if (left > 0 && left === this.closed) {
      this.logger.error(
        `${left} personal data keys and waiting records open with neither KEY_ENCRYPTION_KEY nor KEY_ENCRYPTION_KEY_PREVIOUS: they were sealed with another key, or changed. Start audit with that key as KEY_ENCRYPTION_KEY_PREVIOUS`,
      );
    } else if (left === 0 && resealed > 0) {
      this.logger.log(
        `${resealed} personal data keys and waiting records are sealed with the current KEY_ENCRYPTION_KEY now, and none with another. ${removable}`,
      );
    }
  }

  /** For the detail of /readyz: neither keeps the service from its work. */
  private words(): string[] {
    if (this.left > 0)
      return [`${this.left} personal data keys and waiting records are not sealed with the current KEY_ENCRYPTION_KEY`];
    return this.config.KEY_ENCRYPTION_KEY_PREVIOUS && this.announced
      ? [`nothing is sealed with another key than KEY_ENCRYPTION_KEY. ${removable}`]
      : [];
  }
}

const removable = 'Once every replica says so, KEY_ENCRYPTION_KEY_PREVIOUS can be removed';

import { Inject, Injectable, Logger } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { CONFIG, Interval, Readiness } from '@holdfast/service';
import type { Config } from '../../config.js';
import { PersonalDataEncryption } from './personal-data.js';

const intervalMs = 5000;
const batchSize = 200;

const remainingRows = new Gauge({
  name: 'holdfast_directory_encrypted_with_other_keys',
  help:
    'Keys of people that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

interface Row {
  id: string;
  org: string;
  personalDataKey: Buffer;
  keyId: Buffer;
}

/**
 * One range of `encryption_key_id` at a time, so that it is an index scan however many rows have the current key. SKIP
 * LOCKED: this transaction locks many people and must never wait for one.
 */
const next = statement(
  'person_next_encrypted',
  `SELECT id, org, personal_data_key AS "personalDataKey", encryption_key_id AS "keyId" FROM person
   WHERE (encryption_key_id, id) > ($1::bytea, $2::uuid) AND encryption_key_id < $3::bytea
   ORDER BY encryption_key_id, id LIMIT ${batchSize} FOR NO KEY UPDATE SKIP LOCKED`,
);
const write = statement(
  'person_re_encrypt',
  `UPDATE person p SET personal_data_key = r.key, encryption_key_id = $3
   FROM unnest($1::uuid[], $2::bytea[]) AS r (id, key) WHERE p.id = r.id`,
);
const countRemaining = statement(
  'person_encrypted_with_other_keys',
  `SELECT ((SELECT count(*) FROM person WHERE encryption_key_id < $1)
     + (SELECT count(*) FROM person WHERE encryption_key_id > $1))::int AS count`,
);
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
 * After a rotation of KEY_ENCRYPTION_KEY, encrypts the keys of people with the new one, in batches, as audit does with
 * its keys. While replicas have different current keys, only those with the key that was announced last do it, or two
 * replicas would undo each other's work for ever (docs/adr/0027-audit-keys-retries-drops-replays.md).
 */
@Injectable()
export class ReEncryption {
  private readonly logger = new Logger('re-encryption');
  private announced = false;
  /** How many rows neither key decrypts. Set when a run re-encrypted nothing and rows with other keys are left. */
  private undecryptable = 0;
  private remaining = 0;

  constructor(
    private readonly database: Database,
    private readonly encryption: PersonalDataEncryption,
    @Inject(CONFIG) private readonly config: Pick<Config, 'KEY_ENCRYPTION_KEY_PREVIOUS'>,
    readiness: Readiness,
  ) {
    readiness.addRemarks(() => this.remarks());
  }

  /** @returns how many people are not encrypted with the current key */
  @Interval({
    name: 're_encryption',
    intervalMs,
    failure: 'Failed to encrypt the keys of people with the current KEY_ENCRYPTION_KEY',
  })
  async reEncryptAll(stopping: () => boolean = () => false): Promise<number> {
    const { keyId } = this.encryption;
    if (!this.announced) await this.database.rows(announceKey, [keyId]);
    this.announced = true;
    const before = await this.count();
    if (before === 0 || before === this.undecryptable || !(await this.hasNewestKey())) return before;
    const done =
      (await this.reEncryptRange(Buffer.alloc(0), firstId, keyId, stopping)) +
      (await this.reEncryptRange(keyId, lastId, afterAllKeyIds, stopping));
    const after = await this.count();
    this.undecryptable = done === 0 && !stopping() ? after : 0;
    if (after > 0 && after === this.undecryptable)
      this.logger.error(
        `The keys of ${after} people decrypt with neither KEY_ENCRYPTION_KEY nor KEY_ENCRYPTION_KEY_PREVIOUS: they ` +
          'were encrypted with another key, or changed. Start directory with that key as KEY_ENCRYPTION_KEY_PREVIOUS',
      );
    else if (after === 0)
      this.logger.log(`The keys of ${done} people were encrypted with the current KEY_ENCRYPTION_KEY. ${removable}`);
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

  private async reEncryptRange(from: Buffer, fromId: string, to: Buffer, stopping: () => boolean): Promise<number> {
    let done = 0;
    for (let after = [from, fromId] as [Buffer, string]; !stopping();) {
      const rows = await this.database.transaction(async (sql) => {
        const found = await sql.rows<Row>(next, [...after, to]);
        const encrypted = found.flatMap(({ id, org, personalDataKey }) => {
          const key = this.encryption.reEncrypted({ id, org, personalDataKey });
          return key ? [{ id, key }] : [];
        });
        const values = [encrypted.map(({ id }) => id), encrypted.map(({ key }) => key), this.encryption.keyId];
        if (encrypted.length > 0) await sql.rows(write, values);
        done += encrypted.length;
        return found;
      });
      const last = rows.at(-1);
      if (!last || rows.length < batchSize) break;
      after = [last.keyId, last.id];
    }
    return done;
  }

  /** Lines for /readyz. The service stays ready: it works with both keys. */
  private remarks(): string[] {
    if (this.remaining > 0)
      return [`The keys of ${this.remaining} people are not encrypted with the current KEY_ENCRYPTION_KEY`];
    return this.config.KEY_ENCRYPTION_KEY_PREVIOUS && this.announced
      ? [`No person is encrypted with another key than KEY_ENCRYPTION_KEY. ${removable}`]
      : [];
  }
}

const removable = 'Once every replica reports this, KEY_ENCRYPTION_KEY_PREVIOUS can be removed';

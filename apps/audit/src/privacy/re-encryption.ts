import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database } from '@holdfast/data';
import { KeyEncryption, keysOf, type KeyEncryptionConfig } from '@holdfast/platform';
import {
  CONFIG,
  encryptedTable,
  Interval,
  KeyUse,
  keyUseIntervalMs,
  Readiness,
  TableReEncryption,
  type KeyUseOptions,
} from '@holdfast/service';
import { pendingRecordContext, personalDataKeyContext } from './key-encryption.js';

const gauge = new Gauge({
  name: 'holdfast_audit_encrypted_with_other_keys',
  help:
    'Personal data keys and pending records that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

/** Encrypts personal data keys and pending records with the current KEY_ENCRYPTION_KEY after its rotation. */
@Injectable()
export class ReEncryption {
  private readonly use: KeyUse;

  constructor(database: Database, @Inject(CONFIG) config: KeyEncryptionConfig, readiness: Readiness) {
    const encryption = new KeyEncryption(config, 'audit');
    const reEncrypt = (sealed: string, context: string) => {
      const plain = encryption.decrypt(Buffer.from(sealed, 'base64'), context);
      return plain && encryption.encrypt(plain, context).toString('base64');
    };
    const tables = [
      encryptedTable('personal_data_key', {
        read: "encode(key, 'base64')",
        write: "key = decode(r.sealed, 'base64')",
        reEncrypted: ({ org, id, sealed }) => reEncrypt(sealed, personalDataKeyContext(org, id)),
      }),
      encryptedTable('pending_record', {
        read: 'record',
        write: 'record = r.sealed',
        // The operator's records of dropped partitions contain no personal data and are stored as plain JSON.
        reEncrypted: ({ sealed }) => (sealed.startsWith('{') ? sealed : reEncrypt(sealed, pendingRecordContext)),
      }),
    ];
    const what = 'personal data keys and pending records';
    const rows = new TableReEncryption({ database, keyId: encryption.keyId, tables, what, gauge, readiness });
    const keys = keysOf(config.KEY_ENCRYPTION_KEY, config.KEY_ENCRYPTION_KEY_PREVIOUS);
    const check: KeyUseOptions['check'] = async ({ stopping }) => ({ count: await rows.run(stopping) });
    this.use = new KeyUse({
      database,
      readiness,
      name: 'KEY_ENCRYPTION_KEY',
      keys,
      what,
      check,
      always: (stopping) => rows.run(stopping),
    });
  }

  /** @returns how many rows are not encrypted with the current key */
  @Interval({
    name: 're_encryption',
    intervalMs: keyUseIntervalMs,
    runAtStart: true,
    failure: 'Failed to re-encrypt with the current KEY_ENCRYPTION_KEY',
  })
  reEncryptAll(stopping?: () => boolean): Promise<number> {
    return this.use.run(stopping);
  }
}

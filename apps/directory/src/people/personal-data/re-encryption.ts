import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { keysOf } from '@holdfast/platform';
import {
  CONFIG,
  encryptedTable,
  Interval,
  KeyUse,
  keyUseIntervalMs,
  Readiness,
  SealedTables,
  TableReEncryption,
  type KeyUseOptions,
} from '@holdfast/service';
import type { Config } from '../../config.js';
import { PersonalDataEncryption } from './personal-data.js';

const gauge = new Gauge({
  name: 'holdfast_directory_encrypted_with_other_keys',
  help:
    'Keys of people that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

/** Encrypts the keys of people with the current KEY_ENCRYPTION_KEY after its rotation. */
@Injectable()
export class ReEncryption {
  private readonly use: KeyUse;

  constructor(
    database: Database,
    encryption: PersonalDataEncryption,
    @Inject(CONFIG) config: Pick<Config, 'KEY_ENCRYPTION_KEY' | 'KEY_ENCRYPTION_KEY_PREVIOUS'>,
    readiness: Readiness,
  ) {
    const { keyId } = encryption;
    const people = encryptedTable('person', {
      read: "encode(personal_data_key, 'base64')",
      write: "personal_data_key = decode(r.sealed, 'base64')",
      reEncrypted: ({ org, id, sealed }) =>
        encryption.reEncrypted({ org, id, personalDataKey: Buffer.from(sealed, 'base64') })?.toString('base64'),
    });
    const what = 'keys of people';
    const rows = new TableReEncryption({ database, keyId, tables: [people], what, gauge, readiness });
    const keys = keysOf(config.KEY_ENCRYPTION_KEY, config.KEY_ENCRYPTION_KEY_PREVIOUS);
    const responses = new SealedTables(database, keys, [storedResponses]);
    const check: KeyUseOptions['check'] = async (scope) => {
      const { count } = await responses.reEncrypt(scope);
      return { count: count + (await rows.run(scope.stopping)) };
    };
    this.use = new KeyUse({
      database,
      readiness,
      name: 'KEY_ENCRYPTION_KEY',
      keys,
      what: `${what} and stored responses`,
      check,
      always: (stopping) => rows.run(stopping),
    });
  }

  /** @returns how many people are not encrypted with the current key */
  @Interval({
    name: 're_encryption',
    intervalMs: keyUseIntervalMs,
    runAtStart: true,
    failure: 'Failed to encrypt the keys of people with the current KEY_ENCRYPTION_KEY',
  })
  reEncryptAll(stopping?: () => boolean): Promise<number> {
    return this.use.run(stopping);
  }
}

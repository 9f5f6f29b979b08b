import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { encryptionKeysOf, KeyEncryption, type KeyEncryptionConfig } from '@holdfast/platform';
import { CONFIG, KeyRotation, Readiness, reEncrypting, type SealedTable } from '@holdfast/service';
import { exportKeyContext, pendingRecordContext, personalDataKeyContext } from '../privacy/key-encryption.js';

const gauge = new Gauge({
  name: 'holdfast_audit_encrypted_with_other_keys',
  help:
    'Personal data keys and pending records that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

const personalDataKeys: SealedTable = {
  name: 'personal_data_key',
  column: 'key',
  key: { id: 'uuid', org: 'text' },
  contextOf: ({ org, id }: { org: string; id: string }) => personalDataKeyContext(org, id),
};
const pendingRecords: SealedTable = {
  name: 'pending_record',
  column: 'record',
  encoding: 'base64',
  key: { id: 'uuid', org: 'text' },
  // The operator's records of dropped partitions contain no personal data and are stored as plain JSON.
  where: `record NOT LIKE '{%'`,
  contextOf: () => pendingRecordContext,
};

const exportKeys: SealedTable = {
  name: 'export',
  column: 'key',
  key: { id: 'uuid', org: 'text' },
  contextOf: ({ org, id }: { org: string; id: string }) => exportKeyContext(org, id),
};

/** Encrypts personal data keys and pending records with the current KEY_ENCRYPTION_KEY after its rotation. */
@Injectable()
export class AuditKeyRotation extends KeyRotation {
  constructor(database: Database, @Inject(CONFIG) config: KeyEncryptionConfig, readiness: Readiness) {
    const { keyId } = new KeyEncryption(config, 'audit');
    const tables = [personalDataKeys, pendingRecords, exportKeys].map((table) => ({ ...table, keyId }));
    super(database, readiness, [
      {
        name: 'KEY_ENCRYPTION_KEY',
        keys: encryptionKeysOf(config),
        what: 'personal data keys and pending records',
        ...reEncrypting([...tables, storedResponses], gauge),
      },
    ]);
  }
}

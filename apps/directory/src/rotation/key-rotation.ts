import { Inject, Injectable } from '@nestjs/common';
import { Gauge } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { encryptionKeysOf, type KeyEncryptionConfig } from '@holdfast/platform';
import {
  CONFIG,
  KeyRotation,
  Readiness,
  reEncrypting,
  type KeyCheck,
  type Pending,
  type SealedTable,
} from '@holdfast/service';
import { peppersOf, type PepperConfig } from '../config.js';
import { IndexedPeople } from '../people/personal-data/indexed-people.js';
import { PersonalDataEncryption, personKeyContext } from '../people/personal-data/personal-data.js';

const gauge = new Gauge({
  name: 'holdfast_directory_encrypted_with_other_keys',
  help:
    'Keys of people that are not encrypted with KEY_ENCRYPTION_KEY. At 0 in all replicas, ' +
    'KEY_ENCRYPTION_KEY_PREVIOUS can be removed',
});

const personKeys: SealedTable = {
  name: 'person',
  column: 'personal_data_key',
  key: { id: 'uuid' },
  further: ['org'],
  contextOf: ({ org, id }: { org: string; id: string }) => personKeyContext(org, id),
};

const hashedWithOthers = statement(
  'pepper_remaining',
  `SELECT
     (SELECT count(*) FROM app_secret s JOIN app a USING (client_id)
      WHERE s.revoked_at IS NULL AND a.deleted_at IS NULL AND s.pepper_id IS DISTINCT FROM $1)::int AS secrets,
     count(i.id)::int AS links, max(i.expires_at) AS until
   FROM invitation i WHERE i.status = 'open' AND i.expires_at > clock_timestamp() AND i.created_at <= $2`,
);

/**
 * Follows the rotations of the keys of directory. Keys of people are encrypted again, and that by which people are
 * found is hashed again; a client secret when an app presents it (RenewSecretHashHandler); an invitation link ends by
 * itself.
 */
@Injectable()
export class DirectoryKeyRotation extends KeyRotation {
  constructor(
    database: Database,
    people: IndexedPeople,
    { keyId }: PersonalDataEncryption,
    @Inject(CONFIG) config: KeyEncryptionConfig & PepperConfig,
    readiness: Readiness,
  ) {
    super(database, readiness, [
      {
        name: 'KEY_ENCRYPTION_KEY',
        keys: encryptionKeysOf(config),
        what: 'keys of people and stored responses',
        ...reEncrypting([{ ...personKeys, keyId }, storedResponses], gauge),
      },
      {
        name: 'SECRET_PEPPER',
        keys: peppersOf(config),
        what: 'client secrets, open invitations and hashes of people',
        check: (scope) => hashAgain(people, scope),
      },
    ]);
  }
}

async function hashAgain(people: IndexedPeople, scope: KeyCheck): Promise<Pending> {
  const indexed = await people.convert(scope);
  const [row] = await scope.database.rows<{ secrets: number; links: number; until: Date | null }>(hashedWithOthers, [
    scope.keyId,
    scope.switchedAt,
  ]);
  const { secrets, links, until } = row!;
  // Only links end by themselves.
  return { count: secrets + links + indexed, until: secrets + indexed === 0 ? (until ?? undefined) : undefined };
}

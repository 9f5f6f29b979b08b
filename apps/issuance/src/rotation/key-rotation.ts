import { Inject, Injectable } from '@nestjs/common';
import { pendingRecords } from '@holdfast/audit-client';
import { Database, statement } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { encryptionKeysOf, keysOf } from '@holdfast/platform';
import {
  CONFIG,
  expiring,
  KeyRotation,
  Readiness,
  reEncrypting,
  type KeyCheck,
  type Pending,
  type SealedTable,
} from '@holdfast/service';
import type { IssuanceConfig } from '../config.js';
import { sealedFor } from '../presence/presence-policies.js';

const turnstileSecrets: SealedTable = {
  name: 'presence_policy',
  column: 'turnstile_secret',
  key: { org: 'text' },
  where: 'turnstile_secret IS NOT NULL',
  contextOf: ({ org }: { org: string }) => sealedFor(org),
};

/** Reads the index of open offers only. Links of before the change of the pepper cannot be hashed again. */
const openLinks = statement(
  'offer_links_from_before',
  `SELECT count(*)::int AS count, max(expires_at) AS until FROM offer
   WHERE status = 'open' AND NOT expiration_emitted AND expires_at > clock_timestamp() AND created_at <= $1`,
);

/** Follows the rotations of the keys of issuance, and encrypts what is stored with the current one. */
@Injectable()
export class IssuanceKeyRotation extends KeyRotation {
  constructor(database: Database, @Inject(CONFIG) config: IssuanceConfig, readiness: Readiness) {
    super(database, readiness, [
      {
        name: 'KEY_ENCRYPTION_KEY',
        keys: encryptionKeysOf(config),
        what: 'stored responses and pending records',
        ...reEncrypting([storedResponses, turnstileSecrets, pendingRecords]),
      },
      {
        name: 'SECRET_PEPPER',
        keys: keysOf(config.SECRET_PEPPER, config.SECRET_PEPPER_PREVIOUS),
        what: 'open claim links',
        check: countOpenLinks,
      },
      {
        name: 'PRESENCE_KEY',
        keys: keysOf(config.PRESENCE_KEY, config.PRESENCE_KEY_PREVIOUS),
        what: 'kinds of challenges',
        check: expiring(config.PRESENCE_SECONDS * 1000),
      },
    ]);
  }
}

async function countOpenLinks({ database, switchedAt }: KeyCheck): Promise<Pending> {
  const [row] = await database.rows<{ count: number; until: Date | null }>(openLinks, [switchedAt]);
  return { count: row!.count, until: row!.until ?? undefined };
}

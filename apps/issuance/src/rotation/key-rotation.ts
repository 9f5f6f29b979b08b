import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { storedResponses } from '@holdfast/outbox';
import { keysOf } from '@holdfast/platform';
import {
  CONFIG,
  expiring,
  Interval,
  KeyUse,
  keyUseIntervalMs,
  Readiness,
  SealedTables,
  type KeyUseOptions,
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
export class KeyRotation {
  private readonly uses: KeyUse[];

  constructor(database: Database, @Inject(CONFIG) config: IssuanceConfig, readiness: Readiness) {
    const keys = keysOf(config.KEY_ENCRYPTION_KEY, config.KEY_ENCRYPTION_KEY_PREVIOUS);
    const tables = new SealedTables(database, keys, [storedResponses, turnstileSecrets]);
    const countLinks: KeyUseOptions['check'] = async ({ switchedAt }) => {
      const [row] = await database.rows<{ count: number; until: Date | null }>(openLinks, [switchedAt]);
      return { count: row!.count, until: row!.until ?? undefined };
    };
    const use = (options: Pick<KeyUseOptions, 'name' | 'keys' | 'what' | 'check'>) =>
      new KeyUse({ database, readiness, ...options });
    this.uses = [
      use({ name: 'KEY_ENCRYPTION_KEY', keys, what: 'stored responses', check: (scope) => tables.reEncrypt(scope) }),
      use({
        name: 'SECRET_PEPPER',
        keys: keysOf(config.SECRET_PEPPER, config.SECRET_PEPPER_PREVIOUS),
        what: 'open claim links',
        check: countLinks,
      }),
      use({
        name: 'PRESENCE_KEY',
        keys: keysOf(config.PRESENCE_KEY, config.PRESENCE_KEY_PREVIOUS),
        what: 'kinds of challenges',
        check: expiring(config.PRESENCE_SECONDS * 1000),
      }),
    ];
  }

  @Interval({
    name: 'key_rotation',
    intervalMs: keyUseIntervalMs,
    runAtStart: true,
    failure: 'Failed to follow the rotation of keys. Both keys stay valid',
  })
  async follow(stopping?: () => boolean): Promise<void> {
    for (const use of this.uses) await use.run(stopping);
  }
}

import { Inject, Injectable } from '@nestjs/common';
import { Database, statement } from '@holdfast/data';
import { keysOf } from '@holdfast/platform';
import { CONFIG, Interval, KeyUse, keyUseIntervalMs, Readiness } from '@holdfast/service';
import type { Config } from '../config.js';
import { IndexedPeople } from '../people/personal-data/indexed-people.js';

const remaining = statement(
  'pepper_remaining',
  `SELECT
     (SELECT count(*) FROM app_secret s JOIN app a USING (client_id)
      WHERE s.revoked_at IS NULL AND a.deleted_at IS NULL AND s.pepper_id IS DISTINCT FROM $1)::int AS secrets,
     count(i.id)::int AS links, max(i.expires_at) AS until
   FROM invitation i WHERE i.status = 'open' AND i.expires_at > clock_timestamp() AND i.created_at <= $2`,
);

/**
 * Follows a rotation of SECRET_PEPPER. That by which people are found is hashed again here; a client secret when an app
 * presents it (RenewSecretHashHandler); an invitation link ends by itself.
 */
@Injectable()
export class PepperRotation {
  /** Whether this replica has the pepper that was configured last: only such a replica converts hashes. */
  leads = false;
  private readonly use: KeyUse;

  constructor(
    private readonly database: Database,
    private readonly people: IndexedPeople,
    @Inject(CONFIG) config: Config,
    readiness: Readiness,
  ) {
    this.use = new KeyUse({
      database,
      readiness,
      name: 'SECRET_PEPPER',
      keys: keysOf(config.SECRET_PEPPER, config.SECRET_PEPPER_PREVIOUS),
      what: 'client secrets, open invitations and hashes of people',
      check: async ({ leads, switchedAt, stopping }) => {
        this.leads = leads;
        const indexed = await this.people.convert({ leads, switchedAt, stopping });
        const [row] = await this.database.rows<{ secrets: number; links: number; until: Date | null }>(remaining, [
          this.use.keyId,
          switchedAt,
        ]);
        const { secrets, links, until } = row!;
        // Only links end by themselves.
        const ends = secrets + indexed === 0 ? (until ?? undefined) : undefined;
        return { count: secrets + links + indexed, until: ends };
      },
    });
  }

  @Interval({
    name: 'pepper_rotation',
    intervalMs: keyUseIntervalMs,
    runAtStart: true,
    failure: 'Failed to follow the rotation of SECRET_PEPPER. Both peppers stay valid',
  })
  follow(stopping?: () => boolean): Promise<number> {
    return this.use.run(stopping);
  }
}

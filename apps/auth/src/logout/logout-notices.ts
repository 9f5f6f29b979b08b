import { Inject, Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { CLOCK, newId, seal, unseal, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';
import type { SignedIn } from '../sessions/session-revocation.js';

const insert = statement(
  'logout_notice_insert',
  `INSERT INTO logout_notice (id, org, client_id, about, due_at, ends_at)
   SELECT id, $1, client_id, about, $5, $6 FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS n(id, client_id, about)`,
);

/**
 * Whose session ended: sealed in the table, since it may outlive an erasure until the app has been told (product §5).
 */
export interface About {
  sub: string;
  sid?: string;
}

/** What apps have yet to be told of ended sessions (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class LogoutNotices {
  private readonly listeners: (() => void)[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** In the transaction that ends the sessions, so that neither is without the other. */
  async add(sql: Sql, org: string, sub: string, apps: readonly SignedIn[]): Promise<void> {
    if (apps.length === 0) return;
    const ids = apps.map(() => newId());
    const about = apps.map(({ sid }, i) =>
      seal(
        this.config.KEY_ENCRYPTION_KEY,
        JSON.stringify({ sub, sid } satisfies { sub: string; sid: string | undefined }),
        contextOf(ids[i]!),
      ),
    );
    const now = this.clock.now().getTime();
    await sql.rows(insert, [
      org,
      ids,
      apps.map(({ clientId }) => clientId),
      about,
      new Date(now),
      new Date(now + this.config.BACKCHANNEL_LOGOUT_SECONDS * 1000),
    ]);
  }

  open({ id, about }: { id: string; about: Buffer }): About {
    return JSON.parse(unseal(this.config.KEY_ENCRYPTION_KEY, about, contextOf(id)).toString()) as About;
  }

  /** Said after the commit, so that they leave at once and not at the next look. */
  wake(): void {
    for (const listener of this.listeners) listener();
  }

  onWake(listener: () => void): void {
    this.listeners.push(listener);
  }
}

function contextOf(id: string): string {
  return `logout_notice ${id}`;
}

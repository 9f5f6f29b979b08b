import { Inject, Injectable } from '@nestjs/common';
import { statement, type Sql } from '@holdfast/data';
import { CLOCK, encryptionKeysOf, newId, seal, unseal, type Clock } from '@holdfast/platform';
import { CONFIG } from '@holdfast/service';
import type { Config } from '../config.js';

const insert = statement(
  'logout_notification_insert',
  `INSERT INTO logout_notification (id, org, client_id, payload, due_at, expires_at)
   SELECT id, $1, client_id, payload, $5, $6
   FROM unnest($2::uuid[], $3::text[], $4::bytea[]) AS n (id, client_id, payload)`,
);

/** An app that a customer or person was signed in to, and their session there. */
export interface SignedIn {
  clientId: string;
  sid?: string;
}

/** Sealed in the table, since the row may outlive an erasure until the app is notified (product §5). */
export interface RevokedSession {
  sub: string;
  sid?: string;
}

/** Stores notifications about revoked sessions for apps (OpenID Connect Back-Channel Logout 1.0). */
@Injectable()
export class LogoutNotifications {
  private readonly listeners: (() => void)[] = [];

  constructor(
    @Inject(CONFIG) private readonly config: Config,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  /** Runs in the transaction that revokes the sessions, so that neither commits without the other. */
  async add(sql: Sql, org: string, revoked: readonly (SignedIn & { sub: string })[]): Promise<void> {
    if (revoked.length === 0) return;
    const ids = revoked.map(() => newId());
    const payloads = revoked.map(({ sub, sid }, i) =>
      seal(
        this.config.KEY_ENCRYPTION_KEY,
        JSON.stringify({ sub, sid } satisfies { sub: string; sid: string | undefined }),
        notificationContext(ids[i]!),
      ),
    );
    const now = this.clock.now().getTime();
    await sql.rows(insert, [
      org,
      ids,
      revoked.map(({ clientId }) => clientId),
      payloads,
      new Date(now),
      new Date(now + this.config.BACKCHANNEL_LOGOUT_SECONDS * 1000),
    ]);
  }

  unseal({ id, payload }: { id: string; payload: Buffer }): RevokedSession {
    return JSON.parse(
      unseal(encryptionKeysOf(this.config), payload, notificationContext(id)).toString(),
    ) as RevokedSession;
  }

  /** Called after the commit, so that notifications are sent at once instead of at the next interval. */
  wake(): void {
    for (const listener of this.listeners) listener();
  }

  onWake(listener: () => void): void {
    this.listeners.push(listener);
  }
}

export function notificationContext(id: string): string {
  return `logout_notification ${id}`;
}

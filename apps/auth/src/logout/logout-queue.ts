import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { backOffMs, DueDeliveries, type DeliverySource } from '@holdfast/delivery';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval, Shutdown } from '@holdfast/service';
import { LogoutNotifications } from './logout-notifications.js';
import { LogoutSender, responseTimeoutMs, type DueNotification } from './logout-sender.js';

/** New notifications are sent at once. The interval finds retries that have become due. */
const intervalMs = 1000;
/** Other replicas skip a taken notification for this long. If this process dies, one of them sends it afterwards. */
const leaseMs = responseTimeoutMs + 5000;
/** About thirty attempts a day. */
const backOff = { initialMs: 1000, maxMs: 3_600_000 };
/** Apps that are called concurrently, so that an app that does not respond delays no other. */
const maxApps = 16;
/** Notifications that are sent to one app concurrently. */
const maxPerApp = 4;

const take = statement(
  'logout_notification_take',
  `WITH apps AS (
     SELECT client_id FROM logout_notification WHERE due_at <= $1 AND client_id <> ALL ($3)
     GROUP BY client_id ORDER BY min(due_at) LIMIT $4),
   due AS (
     SELECT n.id FROM apps CROSS JOIN LATERAL (
       SELECT id FROM logout_notification WHERE client_id = apps.client_id AND due_at <= $1
       ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED) n)
   UPDATE logout_notification SET due_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
   RETURNING id, org, client_id, payload, attempts, expires_at`,
);
const remove = statement('logout_notification_remove', 'DELETE FROM logout_notification WHERE id = $1');
/** Unless another replica has taken it since: a process that was paused must not move what that one delivers. */
const postpone = statement(
  'logout_notification_postpone',
  'UPDATE logout_notification SET due_at = $2 WHERE id = $1 AND attempts = $3',
);

const attempts = new Counter({
  name: 'holdfast_logout_notifications_total',
  help: 'Attempts to notify an app of a revoked session, by outcome (delivered, failed, given up)',
  labelNames: ['outcome'],
});

/** Notifications to one app that are sent concurrently. */
type Claim = readonly [DueNotification, ...DueNotification[]];

/** Sends each notification at least once and retries for BACKCHANNEL_LOGOUT_SECONDS, at any replica. */
@Injectable()
export class LogoutQueue implements OnApplicationBootstrap, DeliverySource<Claim> {
  private readonly logger = new Logger('back-channel logout');
  private readonly due = new DueDeliveries<Claim>(this, responseTimeoutMs);

  constructor(
    private readonly database: Database,
    private readonly notifications: LogoutNotifications,
    private readonly sender: LogoutSender,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.notifications.onWake(() => this.due.wake());
    this.shutdown.before(() => this.due.stop());
  }

  @Interval({
    name: 'logout_notifications',
    intervalMs,
    due: '(SELECT min(client_id) FROM logout_notification) IS NOT NULL',
    failure: 'Failed to read logout notifications that are due; apps are not notified of revoked sessions',
  })
  sendDue(): Promise<void> {
    return this.due.deliverDue();
  }

  async claim(running: readonly Claim[]): Promise<Claim[]> {
    const room = maxApps - running.length;
    // With a wrong clock apps would reject the logout token, and failed attempts bring the expiration nearer.
    if (room <= 0 || this.clock.trust() === 'wrong') return [];
    const now = this.clock.now().getTime();
    const busy = running.map(([{ client_id: clientId }]) => clientId);
    const values = [new Date(now), new Date(now + leaseMs), busy, room, maxPerApp];
    const due = await this.database.rows<DueNotification>(take, values);
    return [...Map.groupBy(due, ({ client_id: clientId }) => clientId).values()] as unknown as Claim[];
  }

  async deliver(claim: Claim): Promise<void> {
    await Promise.all(claim.map((notification) => this.attempt(notification)));
  }

  private async attempt(notification: DueNotification): Promise<void> {
    const { id, org, client_id: clientId, attempts: count, expires_at: expiresAt } = notification;
    const failure = await this.sender.send(notification);
    const next = new Date(this.clock.now().getTime() + backOffMs(backOff, count, Math.random()));
    const givenUp = failure !== undefined && next >= expiresAt;
    const outcome = failure === undefined ? 'delivered' : givenUp ? 'given up' : 'failed';
    attempts.inc({ outcome });
    const plan = givenUp
      ? 'The notification is given up: the app will not be notified.'
      : `The next attempt is at ${next.toISOString()}.`;
    if (failure !== undefined)
      this.logger.warn(
        `App ${clientId} of ${org} was not notified of a revoked session (attempt ${count}): ${failure} ${plan}`,
      );
    // If the outcome cannot be stored, the notification is sent again when its lease ends.
    const stored =
      outcome === 'failed' ? this.database.rows(postpone, [id, next, count]) : this.database.rows(remove, [id]);
    await stored.catch((error: unknown) =>
      this.logger.debug(
        `Failed to store the outcome of an attempt for app ${clientId}; ` +
          `the notification is sent again: ${String(error)}`,
      ),
    );
  }
}

import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval, Shutdown } from '@holdfast/service';
import { LogoutNotices } from './logout-notices.js';
import { LogoutSender, responseTimeoutMs, type DueNotice } from './logout-sender.js';
import { retryDelay } from './retry.js';

/** New notices are sent at once; the interval finds those that have become due. */
const intervalMs = 1000;
/** Other replicas leave a taken notice alone for this long. If this process dies, one of them tries again after it. */
const leaseMs = responseTimeoutMs + 5000;
/** Apps called concurrently, and notices sent to one app concurrently: an app that does not respond delays no other. */
const maxApps = 16;
const maxPerApp = 4;

const take = statement(
  'logout_notice_take',
  `WITH apps AS (
     SELECT client_id FROM logout_notice WHERE due_at <= $1 AND client_id <> ALL ($3)
     GROUP BY client_id ORDER BY min(due_at) LIMIT $4),
   due AS (
     SELECT n.id FROM apps CROSS JOIN LATERAL (
       SELECT id FROM logout_notice WHERE client_id = apps.client_id AND due_at <= $1
       ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED) n)
   UPDATE logout_notice SET due_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
   RETURNING id, org, client_id, payload, attempts, expires_at`,
);
const remove = statement('logout_notice_remove', 'DELETE FROM logout_notice WHERE id = $1');
const postpone = statement('logout_notice_postpone', 'UPDATE logout_notice SET due_at = $2 WHERE id = $1');

const attempts = new Counter({
  name: 'holdfast_logout_notices_total',
  help: 'Attempts to notify an app of a revoked session, by outcome (delivered, failed, given up)',
  labelNames: ['outcome'],
});

/** Sends each notice at least once, and retries for BACKCHANNEL_LOGOUT_SECONDS. Any replica sends any notice. */
@Injectable()
export class LogoutQueue implements OnApplicationBootstrap {
  private readonly logger = new Logger('back-channel logout');
  /** Apps that are being called. */
  private readonly busy = new Map<string, Promise<void>>();
  private sending = false;
  private again = false;
  private stopped = false;

  constructor(
    private readonly database: Database,
    private readonly notices: LogoutNotices,
    private readonly sender: LogoutSender,
    private readonly shutdown: Shutdown,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  onApplicationBootstrap(): void {
    this.notices.onWake(() => void this.sendDue());
    this.shutdown.before(async () => {
      this.stopped = true;
      await Promise.all(this.busy.values());
    });
  }

  @Interval({ name: 'logout_notices', intervalMs, failure: 'Failed to look for logout notices that are due' })
  async sendDue(): Promise<void> {
    this.again = true;
    // With a wrong clock apps would reject the logout token, and each attempt brings the notice nearer to its end.
    if (this.sending || this.clock.trust() === 'wrong') return;
    this.sending = true;
    try {
      while (this.again && !this.stopped && this.busy.size < maxApps) {
        this.again = false;
        const due = await this.takeDue();
        for (const clientId of new Set(due.map((notice) => notice.client_id))) {
          this.busy.set(
            clientId,
            Promise.all(
              due.filter((notice) => notice.client_id === clientId).map((notice) => this.attempt(notice)),
            ).then(() => {
              this.busy.delete(clientId);
              void this.sendDue();
            }),
          );
        }
      }
    } catch (error) {
      this.logger.debug(`cannot read due notices: ${String(error)}`);
    }
    this.sending = false;
  }

  private takeDue(): Promise<DueNotice[]> {
    const now = this.clock.now().getTime();
    return this.database.rows<DueNotice>(take, [
      new Date(now),
      new Date(now + leaseMs),
      [...this.busy.keys()],
      maxApps - this.busy.size,
      maxPerApp,
    ]);
  }

  private async attempt(notice: DueNotice): Promise<void> {
    const { id, org, client_id: clientId, attempts: count, expires_at: expiresAt } = notice;
    const failure = await this.sender.send(notice);
    const next = new Date(this.clock.now().getTime() + retryDelay(count, Math.random()));
    const givenUp = failure !== undefined && next >= expiresAt;
    const outcome = failure === undefined ? 'delivered' : givenUp ? 'given up' : 'failed';
    attempts.inc({ outcome });
    const plan = givenUp
      ? 'The notice is given up: the app will not be notified.'
      : `The next attempt is at ${next.toISOString()}.`;
    if (failure !== undefined)
      this.logger.warn(
        `App ${clientId} of ${org} was not notified of a revoked session (attempt ${count}): ${failure} ${plan}`,
      );
    // If the outcome cannot be stored, the notice is sent again when its lease ends.
    const stored = outcome === 'failed' ? this.database.rows(postpone, [id, next]) : this.database.rows(remove, [id]);
    await stored.catch((error: unknown) =>
      this.logger.debug(`cannot store the outcome of an attempt: ${String(error)}`),
    );
  }
}

import { Inject, Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { Counter } from 'prom-client';
import { Database, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Shutdown } from '@holdfast/service';
import { LogoutNotices } from './logout-notices.js';
import { answerTimeout, LogoutSender, type DueNotice } from './logout-sender.js';
import { retryDelay } from './retry.js';

/** Ms between two looks for what has become due; what is new is announced. */
const every = 1000;
/** Ms for which a notice that was taken is nobody else's: if this process dies, it is tried again after that. */
const lease = answerTimeout + 5000;
/** Apps that are called at once, and notices of one app: an app that does not answer takes up no more. */
const mostApps = 16;
const mostPerApp = 4;

const take = statement(
  'logout_notice_take',
  `WITH apps AS (
     SELECT client_id FROM logout_notice WHERE due_at <= $1 AND client_id <> ALL ($3) GROUP BY client_id ORDER BY min(due_at) LIMIT $4),
   due AS (
     SELECT n.id FROM apps CROSS JOIN LATERAL (
       SELECT id FROM logout_notice WHERE client_id = apps.client_id AND due_at <= $1 ORDER BY due_at LIMIT $5 FOR UPDATE SKIP LOCKED) n)
   UPDATE logout_notice SET due_at = $2, attempts = attempts + 1 WHERE id IN (SELECT id FROM due)
   RETURNING id, org, client_id, about, attempts, ends_at`,
);
const remove = statement('logout_notice_remove', 'DELETE FROM logout_notice WHERE id = $1');
const postpone = statement('logout_notice_postpone', 'UPDATE logout_notice SET due_at = $2 WHERE id = $1');

const attempts = new Counter({
  name: 'holdfast_logout_notices_total',
  help: 'Attempts to tell an app of an ended session',
  labelNames: ['outcome'],
});

/** Sends what apps have yet to be told, at least once each, for as long as configured; any replica sends any of it. */
@Injectable()
export class LogoutQueue implements OnApplicationBootstrap {
  private readonly logger = new Logger('back-channel logout');
  /** Apps that are being called. */
  private readonly busy = new Map<string, Promise<void>>();
  private looking = false;
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
    const timer = setInterval(() => void this.look(), every);
    this.notices.onWake(() => void this.look());
    this.shutdown.before(async () => {
      this.stopped = true;
      clearInterval(timer);
      await Promise.all(this.busy.values());
    });
  }

  private async look(): Promise<void> {
    this.again = true;
    // Apps refuse a token of another time, and each attempt brings the notice nearer to being given up.
    if (this.looking || this.clock.trust() === 'wrong') return;
    this.looking = true;
    try {
      while (this.again && !this.stopped && this.busy.size < mostApps) {
        this.again = false;
        const due = await this.takeDue();
        for (const clientId of new Set(due.map((notice) => notice.client_id))) {
          this.busy.set(
            clientId,
            Promise.all(
              due.filter((notice) => notice.client_id === clientId).map((notice) => this.attempt(notice)),
            ).then(() => {
              this.busy.delete(clientId);
              void this.look();
            }),
          );
        }
      }
    } catch (error) {
      this.logger.debug(`cannot look for notices: ${String(error)}`);
    }
    this.looking = false;
  }

  private takeDue(): Promise<DueNotice[]> {
    const now = this.clock.now().getTime();
    return this.database.rows<DueNotice>(take, [
      new Date(now),
      new Date(now + lease),
      [...this.busy.keys()],
      mostApps - this.busy.size,
      mostPerApp,
    ]);
  }

  private async attempt(notice: DueNotice): Promise<void> {
    const { id, org, client_id: clientId, attempts: count, ends_at: endsAt } = notice;
    const failure = await this.sender.send(notice);
    const next = new Date(this.clock.now().getTime() + retryDelay(count, Math.random()));
    const givenUp = failure !== undefined && next >= endsAt;
    const outcome = failure === undefined ? 'told' : givenUp ? 'given up' : 'failed';
    attempts.inc({ outcome });
    const plan = givenUp ? 'it is given up and the app will not hear of it' : `tried again at ${next.toISOString()}`;
    if (failure !== undefined)
      this.logger.warn(
        `app ${clientId} of ${org} could not be told that a session ended, attempt ${count}: ${failure} ${plan}`,
      );
    // What cannot be written down now is tried again when its lease ends.
    const noted = outcome === 'failed' ? this.database.rows(postpone, [id, next]) : this.database.rows(remove, [id]);
    await noted.catch((error: unknown) => this.logger.debug(`cannot note an attempt: ${String(error)}`));
  }
}

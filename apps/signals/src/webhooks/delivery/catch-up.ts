import { Inject, Injectable } from '@nestjs/common';
import { Database, isNotFenced, statement } from '@holdfast/data';
import { CLOCK, type Clock } from '@holdfast/platform';
import { Interval } from '@holdfast/service';
import { isActive } from './deliveries.js';
import { WebhookQueue } from './webhook-queue.js';

/** Events that become messages in one step, and messages that may wait for their first attempt before the next one. */
const stepSize = 500;
const batchSize = 100;

const behind = statement(
  'webhook_endpoint_behind',
  `SELECT w.id, w.org FROM webhook_endpoint w LEFT JOIN audit_suspension s ON s.org = w.org
    WHERE w.held_after IS NOT NULL AND ${isActive} AND ${isNotFenced('w.org')} ORDER BY random() LIMIT ${batchSize}`,
);
/** As appending does, so that no event comes to the feed between the last one and the end of catching up. */
const lockHead = statement('head_lock_for_webhooks', 'SELECT seq FROM head WHERE org = $1 FOR UPDATE');
const lockEndpoint = statement(
  'webhook_endpoint_lock_behind',
  `SELECT w.held_after AS after, (
     SELECT count(*) FROM (SELECT FROM webhook_delivery
       WHERE endpoint = w.id AND status = 'pending' AND tries = 0 LIMIT ${stepSize}) d)::int AS waiting
     FROM webhook_endpoint w LEFT JOIN audit_suspension s ON s.org = w.org
    WHERE w.id = $1 AND w.held_after IS NOT NULL AND ${isActive} FOR UPDATE OF w`,
);
const addMessages = statement(
  'webhook_delivery_catch_up',
  `WITH next AS (
     SELECT e.* FROM event e JOIN webhook_endpoint w ON w.id = $1 AND w.org = e.org
      WHERE e.org = $2 AND e.seq > $3 AND e.seq <= $4 AND (w.types IS NULL OR e.type = ANY (w.types))
      ORDER BY e.seq LIMIT ${stepSize}
   ), added AS (
     INSERT INTO webhook_delivery (endpoint, seq, created_at, org, event, type, key, due_at)
     SELECT $1, seq, appended_at, org, id, type, key, $5 FROM next ON CONFLICT DO NOTHING
   )
   SELECT count(*)::int AS count, max(seq) AS last FROM next`,
);
const move = statement('webhook_endpoint_caught_up', 'UPDATE webhook_endpoint SET held_after = $2 WHERE id = $1');

/**
 * Endpoints that were paused or disabled get what has happened meanwhile from the feed, in order and one after the
 * other, and then each event as it comes.
 */
@Injectable()
export class CatchUp {
  constructor(
    private readonly database: Database,
    private readonly queue: WebhookQueue,
    @Inject(CLOCK) private readonly clock: Clock,
  ) {}

  @Interval({
    name: 'webhook_catch_up',
    intervalMs: 500,
    due: '(SELECT id FROM webhook_endpoint WHERE held_after IS NOT NULL ORDER BY id LIMIT 1) IS NOT NULL',
    failure: 'Failed to read what resumed webhook endpoints have missed; they get it later',
  })
  async continueAll(stopping = () => false): Promise<void> {
    for (const endpoint of await this.database.rows<{ id: string; org: string }>(behind)) {
      if (stopping()) return;
      await this.step(endpoint);
    }
  }

  /** Adds the next messages of an endpoint, or ends its catching up when it has got all of them. */
  private async step({ id, org }: { id: string; org: string }): Promise<void> {
    const isMore = await this.database.transaction(async (sql) => {
      const [head] = await sql.rows<{ seq: number }>(lockHead, [org]);
      const [endpoint] = await sql.rows<{ after: number; waiting: number }>(lockEndpoint, [id]);
      if (!head || !endpoint || endpoint.waiting >= stepSize) return false;
      const values = [id, org, endpoint.after, head.seq, this.clock.now()];
      const [added] = await sql.rows<{ count: number; last: number | null }>(addMessages, values);
      const { count, last } = added!;
      const isAtEnd = count < stepSize;
      const isDone = isAtEnd && count === 0 && endpoint.waiting === 0;
      await sql.rows(move, [id, isDone ? null : isAtEnd ? head.seq : last]);
      return count > 0;
    });
    if (isMore) this.queue.wake('serial', id);
  }
}

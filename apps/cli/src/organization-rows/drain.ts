import { setTimeout as sleep } from 'node:timers/promises';
import { organizationMove } from '@holdfast/contracts';
import { CommandError } from '../command-error.js';
import type { OperatorSession } from '../operator-session.js';
import type { ShardConnections } from './connections.js';

const pollMs = 200;

/** Events of the organization that not all services of its shard have applied yet. */
export async function undelivered(session: OperatorSession, org: string, shard: ShardConnections): Promise<number> {
  const counts = await Promise.all(
    (['issuance', 'audit'] as const).map(async (service) => {
      const { rows } = await shard[service]!.query<{ count: number }>(
        `SELECT count(*)::int AS count FROM ${service}.outbox WHERE payload::json->>'org' = $1`,
        [org],
      );
      return rows[0]!.count;
    }),
  );
  const ofDirectory = (await session.request(organizationMove, {}, org)).undelivered;
  return counts.reduce((sum, count) => sum + count, ofDirectory);
}

/** Waits until all services of the shard have applied every event of the organization. @throws CommandError */
export async function drain(
  session: OperatorSession,
  org: string,
  shard: ShardConnections,
  timeoutMs: number,
): Promise<void> {
  const until = performance.now() + timeoutMs;
  for (let left = await undelivered(session, org, shard); left > 0; left = await undelivered(session, org, shard)) {
    if (performance.now() > until)
      throw new CommandError(
        `${left} events of ${org} have not been applied by all services of its shard. ` +
          'See "When events are quarantined" in the runbook, and repair the cause first.',
      );
    await sleep(pollMs);
  }
}

import { mainShard } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';

/** The lane of no shard, so that no relay publishes it: events wait there while their organization moves. */
const waitingLane = '(moving)';

/**
 * Locks the organizations against the begin and end of a move: otherwise an event could be committed to a lane after
 * the move has made sure that nothing is left there.
 */
const select = statement(
  'organization_lanes',
  `SELECT short_id AS org, CASE WHEN move_to IS NULL THEN shard ELSE '${waitingLane}' END AS lane
   FROM organization WHERE short_id = ANY ($1) ORDER BY short_id FOR KEY SHARE`,
);
/** There are few rows: those that services have not confirmed yet. */
const ofOrganization = (org: string): string => `payload::json->>'org' = ${org}`;
const release = statement(
  'organization_release_events',
  `UPDATE outbox SET shard = $2 WHERE shard = '${waitingLane}' AND ${ofOrganization('$1')}`,
);
const countUndelivered = statement(
  'organization_undelivered',
  `SELECT count(*)::int AS count FROM outbox WHERE shard IS NOT DISTINCT FROM $2 AND ${ofOrganization('$1')}`,
);

/** The outbox lane of each organization's events; undefined is the lane of the shard `main`. */
export async function lanesOf(sql: Sql, shortIds: string[]): Promise<Map<string, string | undefined>> {
  const rows = await sql.rows<{ org: string; lane: string }>(select, [shortIds]);
  return new Map(rows.map(({ org, lane }) => [org, laneOf(lane)]));
}

/** Publishes the events that have waited for the end of a move. */
export async function releaseEvents(sql: Sql, org: string, shard: string): Promise<void> {
  await sql.rows(release, [org, laneOf(shard) ?? null]);
}

/** How many events not all services of the shard have applied yet. */
export async function undeliveredEvents(sql: Sql, org: string, shard: string): Promise<number> {
  const [row] = await sql.rows<{ count: number }>(countUndelivered, [org, laneOf(shard) ?? null]);
  return row?.count ?? 0;
}

function laneOf(shard: string): string | undefined {
  return shard === mainShard ? undefined : shard;
}

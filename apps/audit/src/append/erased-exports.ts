import type { AuditExport } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { customerKey } from '@holdfast/platform';
import type { AppendItem } from './plan.js';

/** How many exports the record of an erasure names, newest first. It also has the number of all. */
const maxNamed = 20;
/** So often an export begins again because of erasures, before it fails. */
const maxRestarts = 20;

/**
 * Deletes the files of exports whose rows the same transaction has changed before, in a statement of its own: it sees
 * what a worker committed while the change waited for its lock on the row.
 */
export const deleteChunks = statement('export_chunks_delete', 'DELETE FROM export_chunk WHERE export = ANY ($1)');

/** An erasure is delivered several times, and confirmed later. Only the first time counts. */
const newErasures = statement(
  'exports_new_erasures',
  `SELECT q.n FROM unnest((SELECT $1::int[]), (SELECT $2::bytea[])) AS q(n, key)
    WHERE NOT EXISTS (SELECT FROM erased WHERE key = q.key)`,
);
/** A file may name anybody of its organization, and ids that callers chose may be of anybody. */
const expire = statement(
  'exports_erase',
  `UPDATE export e SET
     state = CASE WHEN state = 'ready' THEN 'expired' WHEN restarts >= ${maxRestarts} THEN 'failed' ELSE 'queued' END,
     reason = CASE WHEN state = 'ready' OR restarts >= ${maxRestarts} THEN 'erasure' END,
     finished_at = CASE WHEN state = 'ready' OR restarts >= ${maxRestarts} THEN $2::timestamptz END,
     announced = state <> 'ready' AND restarts < ${maxRestarts},
     version = version + CASE WHEN state = 'ready' OR restarts >= ${maxRestarts} THEN 1 ELSE 0 END,
     restarts = restarts + 1, fence = fence + 1, leased_until = 'epoch', stored_bytes = 0,
     size = CASE WHEN state = 'ready' THEN size END,
     checkpoint = CASE WHEN state = 'ready' THEN checkpoint END,
     place = CASE WHEN state = 'ready' THEN place ELSE 0 END,
     entries = CASE WHEN state = 'ready' THEN entries ELSE 0 END,
     bytes = CASE WHEN state = 'ready' THEN bytes ELSE 0 END
   WHERE org = ANY ($1) AND state IN ('running', 'ready') RETURNING id`,
);
/** A person who has requested exports and is removed. */
const forgetRequesters = statement(
  'exports_forget',
  `UPDATE export e SET requester_id = NULL FROM unnest((SELECT $1::text[]), (SELECT $2::text[])) AS x(org, id)
    WHERE e.org = x.org AND e.requester_id = x.id`,
);
/** Those that have had a file. People have their pseudonyms, since an entry of the log cannot be changed. */
const selectNamed = statement(
  'exports_named',
  `SELECT o.org, e.* FROM unnest((SELECT $1::text[])) AS o(org), LATERAL (
     SELECT e.id, e.created_at AS "createdAt", e.requester_type AS type, e.downloads,
       CASE WHEN e.requester_type = 'person' THEN m.pseudonym ELSE e.requester_id END AS requester,
       count(*) OVER ()::int AS count
     FROM export e LEFT JOIN pseudonym_mapping m ON m.org = e.org AND m.value = e.requester_id
     WHERE e.org = o.org AND e.expires_at IS NOT NULL
     ORDER BY e.created_at DESC LIMIT ${maxNamed}) e`,
);

interface NamedExport {
  org: string;
  id: string;
  createdAt: Date;
  type: AuditExport['requestedBy']['type'];
  requester: string | null;
  downloads: number;
  count: number;
}

/**
 * Deletes the files of exports that were made before the erasures of a batch, and lets unfinished ones begin again: the
 * worker reads what the log has after the erasure. To be called while the heads of the logs are locked, before the
 * batch is written.
 * @returns the items; the record of an erasure names the exports whose copies the organization has to delete
 */
export async function expireExports(sql: Sql, items: readonly AppendItem[], now: Date): Promise<readonly AppendItem[]> {
  const erasures = items.flatMap(({ org, erases }) => (erases === undefined ? [] : [{ org, erases }]));
  if (erasures.length === 0) return items;
  const found = await sql.rows<{ n: number }>(newErasures, [
    erasures.map((_, n) => n),
    erasures.map(({ org, erases }) => customerKey(org, erases)),
  ]);
  const fresh = found.map(({ n }) => erasures[n]!);
  if (fresh.length === 0) return items;
  const orgs = [...new Set(fresh.map(({ org }) => org))];
  const expired = await sql.rows<{ id: string }>(expire, [orgs, now]);
  if (expired.length > 0) await sql.rows(deleteChunks, [expired.map(({ id }) => id)]);
  const named = Map.groupBy(await sql.rows<NamedExport>(selectNamed, [orgs]), ({ org }) => org);
  await sql.rows(forgetRequesters, [fresh.map(({ org }) => org), fresh.map(({ erases }) => erases)]);
  return items.map((item) => withExports(item, named.get(item.org)));
}

function withExports(item: AppendItem, exports: NamedExport[] | undefined): AppendItem {
  const { record, erases } = item;
  if (!record || erases === undefined || !exports) return item;
  const newest = exports.map(({ id, createdAt, type, requester, downloads }) => ({
    id,
    createdAt: createdAt.toISOString(),
    requestedBy: { type, ...(requester !== null && requester !== erases && { id: requester }) },
    downloads,
  }));
  const changes = { ...record.changes, exports: { to: { count: exports[0]!.count, newest } } };
  return { ...item, record: { ...record, changes } };
}

import { setTimeout as sleep } from 'node:timers/promises';

/** Runs one statement, outside of a transaction. */
type Run = (sql: string) => Promise<unknown>;

/**
 * Keeps PostgreSQL from gathering statistics of a schema, and removes existing ones. ANALYZE copies values of rows (the
 * most common ones, histogram bounds) into `pg_statistic`. They stay there when the rows are deleted, until the next
 * ANALYZE of that table, so an erased customer would be readable in `pg_stats` for weeks. The rule has no exceptions,
 * because a list of harmless columns would have to be right for every column that is ever added. Statements are planned
 * without statistics (docs/adr/0023-no-planner-statistics.md).
 */
export async function keepNoStatistics(schema: string, run: Run): Promise<void> {
  await run(stopGathering(schema));
  const [{ kept } = { kept: 0 }] = (await run(
    `SELECT count(*)::int AS kept FROM pg_stats WHERE schemaname = '${schema}'`,
  )) as { kept: number }[];
  if (kept === 0) return;
  await run(removeGathered(schema));
  // Removed rows stay in the file of the catalogue until VACUUM FULL rewrites it. It keeps rows that an older snapshot
  // could still see, so the migration waits for older transactions to end.
  const [{ removedAt } = { removedAt: '0' }] = (await run('SELECT pg_current_xact_id()::text AS "removedAt"')) as {
    removedAt: string;
  }[];
  for (let waitedMs = 0; waitedMs < maxSnapshotWaitMs && (await isVisible(run, removedAt)); waitedMs += 100)
    await sleep(100);
  await run('VACUUM (FULL) pg_catalog.pg_statistic');
}

/** How long a migration waits for older transactions of the server to end. */
const maxSnapshotWaitMs = 60_000;

/**
 * Whether VACUUM FULL would keep a row that this transaction removed. Its own snapshot is as old as the oldest
 * transaction of the whole server that has an id, in whatever database. In this database a session that only reads,
 * such as ANALYZE of autovacuum, counts as well.
 */
async function isVisible(run: Run, xid: string): Promise<boolean> {
  const older = await run(
    `SELECT 1 WHERE pg_snapshot_xmin(pg_current_snapshot()) <= '${xid}'::xid8
     UNION ALL
     SELECT 1 FROM pg_stat_activity
     WHERE datname = current_database() AND pid <> pg_backend_pid()
       AND backend_xmin IS NOT NULL AND age(backend_xmin) >= age('${xid}'::xid8::xid)
     LIMIT 1`,
  );
  return (older as unknown[]).length > 0;
}

/**
 * Sets the statistics target of every column to 0, including the columns in which an index keeps statistics of its
 * expressions. Extended statistics have no target, so they are dropped.
 */
const stopGathering = (schema: string) => `
DO $$
DECLARE c record;
BEGIN
  FOR c IN
    SELECT k.relname, string_agg(format('ALTER %I SET STATISTICS 0', a.attname), ', ') AS columns
    FROM pg_attribute a JOIN pg_class k ON k.oid = a.attrelid
    WHERE k.relnamespace = '${schema}'::regnamespace AND k.relkind IN ('r', 'p', 'm')
      AND a.attnum > 0 AND NOT a.attisdropped AND a.attstattarget IS DISTINCT FROM 0
    GROUP BY k.relname
  LOOP EXECUTE format('ALTER TABLE ${schema}.%I %s', c.relname, c.columns); END LOOP;
  FOR c IN
    SELECT k.relname, a.attnum
    FROM pg_index i JOIN pg_class k ON k.oid = i.indexrelid JOIN pg_attribute a ON a.attrelid = k.oid
    WHERE k.relnamespace = '${schema}'::regnamespace AND i.indexprs IS NOT NULL
      AND a.attnum <= i.indnkeyatts AND i.indkey[a.attnum - 1] = 0 AND a.attstattarget IS DISTINCT FROM 0
  LOOP EXECUTE format('ALTER INDEX ${schema}.%I ALTER COLUMN %s SET STATISTICS 0', c.relname, c.attnum); END LOOP;
  FOR c IN SELECT stxname FROM pg_statistic_ext WHERE stxnamespace = '${schema}'::regnamespace
  LOOP EXECUTE format('DROP STATISTICS ${schema}.%I', c.stxname); END LOOP;
END $$`;

/** PostgreSQL 18 has a function for it that the owner of a table may call. Older versions require a superuser. */
const removeGathered = (schema: string) => `
DO $$
BEGIN
  IF to_regprocedure('pg_catalog.pg_clear_attribute_stats(text, text, text, boolean)') IS NOT NULL THEN
    PERFORM pg_clear_attribute_stats(schemaname, tablename, attname, inherited)
    FROM pg_stats WHERE schemaname = '${schema}';
  ELSE
    DELETE FROM pg_statistic USING pg_class k WHERE starelid = k.oid AND k.relnamespace = '${schema}'::regnamespace;
  END IF;
END $$`;

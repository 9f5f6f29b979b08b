import { databaseRole, retentionNames, retentions } from '@holdfast/contracts';

const classes = retentionNames.map((name) => `'${name}'`).join(', ');
const droppable = retentionNames
  .filter((name) => retentions[name].months !== undefined)
  .map((name) => `'${name}'`)
  .join(', ');

/**
 * The service owns nothing and cannot create tables, but may call this function. It creates a table and attaches it as
 * a partition afterwards, which needs a weaker lock: CREATE TABLE … PARTITION OF would block all reads and appends.
 */
export const makePartitions = `
CREATE FUNCTION make_partitions(month int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = audit, pg_temp AS $$
DECLARE class text; parent text; partition text; columns text;
BEGIN
  IF month IS NULL OR month NOT BETWEEN 2000 * 12 AND 2999 * 12 THEN
    RAISE EXCEPTION 'not a month of a log: %', month USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- One call at a time. This mode blocks neither reads nor appends, and only the owner may take it.
  LOCK TABLE entry IN SHARE UPDATE EXCLUSIVE MODE;
  FOREACH class IN ARRAY ARRAY[${classes}] LOOP
    FOREACH parent IN ARRAY ARRAY['entry', 'entry_target'] LOOP
      partition := format('%s_%s_%s_%s', parent, class, month / 12, lpad((month % 12 + 1)::text, 2, '0'));
      CONTINUE WHEN to_regclass(partition) IS NOT NULL;
      EXECUTE format('CREATE TABLE %I (LIKE %I INCLUDING ALL)', partition, parent || '_' || class);
      -- No planner statistics (keepNoStatistics), which LIKE does not copy.
      SELECT string_agg(format('ALTER %I SET STATISTICS 0', attname), ', ') INTO columns
        FROM pg_attribute WHERE attrelid = to_regclass(partition) AND attnum > 0;
      EXECUTE format('ALTER TABLE %I %s', partition, columns);
      EXECUTE format('REVOKE UPDATE, DELETE ON %I FROM ${databaseRole('audit')}', partition);
      EXECUTE format('CREATE TRIGGER append_only BEFORE UPDATE OR DELETE OR TRUNCATE ON %I '
        'FOR EACH STATEMENT EXECUTE FUNCTION reject_change()', partition);
      EXECUTE format('ALTER TABLE %I ATTACH PARTITION %I FOR VALUES IN (%s)', parent || '_' || class, partition, month);
    END LOOP;
  END LOOP;
END $$`;

/** For operators: which partitions exist. */
export const partitionsView = `
CREATE VIEW partitions AS
SELECT split_part(c.relname, '_', 2) AS class,
  split_part(c.relname, '_', 3) || '-' || split_part(c.relname, '_', 4) AS month,
  split_part(c.relname, '_', 3)::int * 12 + split_part(c.relname, '_', 4)::int - 1 AS number,
  pg_total_relation_size(c.oid)
    + pg_total_relation_size(('audit.' || replace(c.relname, 'entry_', 'entry_target_'))::regclass) AS bytes
FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
WHERE n.nspname = 'audit' AND c.relkind = 'r' AND c.relname ~ '^entry_(${retentionNames.join('|')})_[0-9]+_[0-9]+$'`;

/**
 * For the owner only. Leaves stay with their hashes, so all other entries can still be proved. The caller appends a
 * record for each organization in the same transaction, which accounts for each dropped leaf (droppedSchema in
 * libs/log-verifier).
 */
const dropFunction = (unless: string): string => `
CREATE FUNCTION drop_partitions(dropped_class text, dropped_month int)
RETURNS TABLE (org text, entries bigint, first bigint, last bigint, leaves bytea)
LANGUAGE plpgsql SET search_path = audit, pg_temp AS $$
DECLARE
  suffix text := format('%s_%s_%s', dropped_class, dropped_month / 12, lpad((dropped_month % 12 + 1)::text, 2, '0'));
BEGIN
  IF dropped_class NOT IN (${droppable}) THEN
    RAISE EXCEPTION 'entries of the class % are never dropped', dropped_class USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF dropped_month >= extract(year FROM now())::int * 12 + extract(month FROM now())::int - 1 THEN
    RAISE EXCEPTION 'the log still grows in this month' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  IF to_regclass('entry_' || suffix) IS NULL THEN
    RAISE EXCEPTION 'there is no such partition' USING ERRCODE = 'invalid_parameter_value';
  END IF;
${unless}  RETURN QUERY EXECUTE format(
    'SELECT org, count(*), min(seq), max(seq), sha256(string_agg(int8send(seq), NULL ORDER BY seq)) '
    'FROM %I GROUP BY org ORDER BY org', 'entry_' || suffix);
  EXECUTE format('DROP TABLE %I, %I', 'entry_' || suffix, 'entry_target_' || suffix);
END $$`;

/** As it was before analytics. */
export const dropPartitionsUncounted = dropFunction('');

/** Entries must be counted before they are dropped: roll-ups outlive them. */
export const dropPartitions = dropFunction(`
  DECLARE uncounted text;
  BEGIN
  EXECUTE format(
    'SELECT e.org FROM (SELECT org, max(seq) AS last FROM %I GROUP BY org) e LEFT JOIN analytics_cursor c USING (org) '
    'WHERE e.last > coalesce(c.seq, 0) LIMIT 1', 'entry_' || suffix) INTO uncounted;
  IF uncounted IS NOT NULL THEN
    RAISE EXCEPTION 'analytics have not counted the entries of % yet', uncounted
      USING ERRCODE = 'object_not_in_prerequisite_state';
  END IF;
  END;
`);

import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Streams of Shared Signals, and the security events that they carry. */
export class SharedSignals1768200000000 implements MigrationInterface {
  name = 'SharedSignals1768200000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...tables, makePartitions, dropPartitions]) await runner.query(sql);
    await runner.query('SELECT make_ssf_partitions(now(), 60)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION make_ssf_partitions, drop_ssf_partitions');
    await runner.query('DROP TABLE ssf_event, ssf_subject, ssf_stream, ssf_transmitter');
    await runner.query('UPDATE head SET streams = false');
  }
}

const tables = [
  `CREATE TABLE ssf_transmitter (
     org text PRIMARY KEY,
     default_subjects text NOT NULL CHECK (default_subjects IN ('ALL', 'NONE')))`,
  // `authorization_header` is encrypted with KEY_ENCRYPTION_KEY. `failures` counts failed pushes since the last
  // success; nothing is pushed before `retry_at`.
  `CREATE TABLE ssf_stream (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     receiver text NOT NULL,
     audience text NOT NULL,
     description text,
     events_requested text[],
     method text NOT NULL CHECK (method IN ('push', 'poll')),
     endpoint_url text,
     authorization_header bytea,
     default_subjects text NOT NULL,
     paused boolean NOT NULL DEFAULT false,
     disabled boolean NOT NULL DEFAULT false,
     paused_because text,
     status_reason text,
     version integer NOT NULL DEFAULT 1,
     maker_type text,
     maker_id text,
     maker_name text,
     created_at timestamptz(3) NOT NULL,
     active_at timestamptz(3) NOT NULL,
     verified_at timestamptz(3),
     failures integer NOT NULL DEFAULT 0,
     failing_since timestamptz(3),
     retry_at timestamptz(3),
     last_error text,
     last_error_at timestamptz(3),
     last_success_at timestamptz(3),
     CHECK ((method = 'push') = (endpoint_url IS NOT NULL)))`,
  'CREATE INDEX ssf_stream_org ON ssf_stream (org, receiver)',
  'CREATE INDEX ssf_stream_maker ON ssf_stream (org, maker_id)',
  // Subjects that a receiver has added to a stream without, or removed from one with all of them. `key` is the hash of
  // the customer or person, by which an erasure finds it.
  `CREATE TABLE ssf_subject (
     stream uuid NOT NULL,
     key bytea NOT NULL,
     org text NOT NULL,
     added boolean NOT NULL,
     PRIMARY KEY (stream, key))`,
  'CREATE INDEX ssf_subject_key ON ssf_subject (key)',
  // `seq` is the place of its event in the feed, `part` tells apart what follows from one event. `created_at` is the
  // time at which the event was appended to the feed, so that a stream has one row of each. A claim moves `due_at` to
  // the end of its lease, and `lease` fences earlier claims. `claims` are those of the token but `jti`, `aud`, `iss`
  // and `iat`.
  `CREATE TABLE ssf_event (
     stream uuid NOT NULL,
     seq bigint NOT NULL,
     part smallint NOT NULL,
     created_at timestamptz(3) NOT NULL,
     org text NOT NULL,
     jti text NOT NULL,
     uri text NOT NULL,
     key bytea NOT NULL,
     claims json NOT NULL,
     status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'rejected')),
     due_at timestamptz(3) NOT NULL,
     lease integer NOT NULL DEFAULT 0,
     tries integer NOT NULL DEFAULT 0,
     error json,
     PRIMARY KEY (stream, seq, part, created_at)) PARTITION BY RANGE (created_at)`,
  `CREATE INDEX ssf_event_pending ON ssf_event (stream, seq, part) WHERE status = 'pending'`,
  // A push looks for an earlier event about the same subject, which goes first.
  `CREATE INDEX ssf_event_order ON ssf_event (stream, key, seq, part) WHERE status = 'pending'`,
  `CREATE INDEX ssf_event_rejected ON ssf_event (stream, seq, part) WHERE status = 'rejected'`,
  'CREATE INDEX ssf_event_jti ON ssf_event (stream, jti)',
  'CREATE INDEX ssf_event_key ON ssf_event (key)',
];

const weekSeconds = 604_800;

/** As that of webhooks: the service owns nothing and cannot create tables, but may call this function. */
const makePartitions = `
CREATE FUNCTION make_ssf_partitions(at timestamptz, days int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = signals, pg_temp AS $$
DECLARE week bigint; partition text;
BEGIN
  IF days NOT BETWEEN 1 AND 3660 THEN
    RAISE EXCEPTION 'not a number of days: %', days USING ERRCODE = 'invalid_parameter_value';
  END IF;
  LOCK TABLE ssf_event IN SHARE UPDATE EXCLUSIVE MODE;
  FOR week IN SELECT generate_series(
      (extract(epoch FROM at)::bigint - days * 86400) / ${weekSeconds},
      extract(epoch FROM at)::bigint / ${weekSeconds} + 2)
  LOOP
    partition := 'ssf_event_' || week;
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE ssf_event INCLUDING ALL)', partition);
    EXECUTE format('ALTER TABLE ssf_event ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
      to_timestamp(week * ${weekSeconds}), to_timestamp((week + 1) * ${weekSeconds}));
  END LOOP;
END $$`;

/** Drops what ended more than \`days\` ago. Never less than 30, whatever the service asks for. */
const dropPartitions = `
CREATE FUNCTION drop_ssf_partitions(at timestamptz, days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = signals, pg_temp AS $$
DECLARE partition text; dropped int := 0;
BEGIN
  IF days NOT BETWEEN 30 AND 3660 THEN
    RAISE EXCEPTION 'security events are kept for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  SET LOCAL lock_timeout = '2s';
  FOR partition IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'ssf_event'::regclass
       AND (split_part(c.relname, '_', 3)::bigint + 1) * ${weekSeconds} < extract(epoch FROM at)::bigint - days * 86400
     ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$`;

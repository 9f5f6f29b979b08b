import type { MigrationInterface, QueryRunner } from 'typeorm';

/** Webhook endpoints, what is sent to them, and why events happened, for Shared Signals. */
export class Webhooks1768000000000 implements MigrationInterface {
  name = 'Webhooks1768000000000';

  async up(runner: QueryRunner): Promise<void> {
    for (const sql of [...subscriptions, ...tables, makePartitions, dropPartitions]) await runner.query(sql);
    await runner.query('SELECT make_webhook_partitions(now(), 60)');
  }

  async down(runner: QueryRunner): Promise<void> {
    await runner.query('DROP FUNCTION make_webhook_partitions, drop_webhook_partitions');
    await runner.query('DROP TABLE webhook_delivery, webhook_endpoint, webhook_key');
    await runner.query('ALTER TABLE head DROP COLUMN webhooks, DROP COLUMN streams');
    await runner.query('ALTER TABLE event DROP COLUMN cause');
    await runner.query('ALTER TABLE early_event DROP COLUMN cause');
  }
}

const subscriptions = [
  // Whether the organization has webhook endpoints, or streams of Shared Signals. Read with the lock that appending
  // takes, so that an event of an organization without them costs nothing more.
  `ALTER TABLE head ADD COLUMN webhooks boolean NOT NULL DEFAULT false,
     ADD COLUMN streams boolean NOT NULL DEFAULT false`,
  'ALTER TABLE event ADD COLUMN cause json',
  'ALTER TABLE early_event ADD COLUMN cause json',
];

const tables = [
  // `secrets` and `headers` are encrypted JSON with KEY_ENCRYPTION_KEY. `held_after`: events after this `seq` have no
  // deliveries yet, since the endpoint is paused or disabled, or catches up. `failures` counts failed attempts since
  // the last success; nothing is sent before `retry_at`, and not before `paced_until` to one with a rate limit.
  // `disabled_event` is the id of the event that says so, until it is written; `disablings` counts them.
  `CREATE TABLE webhook_endpoint (
     id uuid PRIMARY KEY,
     org text NOT NULL,
     slot smallint NOT NULL,
     url text NOT NULL,
     description text,
     types text[],
     header_names text[] NOT NULL DEFAULT '{}',
     headers bytea,
     secrets bytea NOT NULL,
     signatures text[] NOT NULL,
     rate_limit integer,
     version integer NOT NULL DEFAULT 1,
     paused boolean NOT NULL DEFAULT false,
     paused_because text,
     disabled_at timestamptz(3),
     disabled_because text,
     disabled_event uuid,
     disablings integer NOT NULL DEFAULT 0,
     held_after bigint,
     maker_type text,
     maker_id text,
     maker_name text,
     created_at timestamptz(3) NOT NULL,
     failures integer NOT NULL DEFAULT 0,
     failing_since timestamptz(3),
     retry_at timestamptz(3),
     paced_until timestamptz(3),
     last_error text,
     last_error_at timestamptz(3),
     last_success_at timestamptz(3),
     UNIQUE (org, slot))`,
  'CREATE INDEX webhook_endpoint_maker ON webhook_endpoint (org, maker_id)',
  'CREATE INDEX webhook_endpoint_held ON webhook_endpoint (id) WHERE held_after IS NOT NULL',
  'CREATE INDEX webhook_endpoint_failing ON webhook_endpoint (failing_since) WHERE failing_since IS NOT NULL',
  // What an endpoint gets of an event. `created_at` is the time at which the event was appended to the feed, so that an
  // endpoint has one row of an event. A claim moves `due_at` to the end of its lease, and `lease` fences earlier
  // claims. `tries` are the attempts since it was last due from the beginning, `attempts` what came of all of them.
  // `key` is the hash of the customer or person, by which an erasure finds it.
  `CREATE TABLE webhook_delivery (
     endpoint uuid NOT NULL,
     seq bigint NOT NULL,
     created_at timestamptz(3) NOT NULL,
     org text NOT NULL,
     event uuid NOT NULL,
     type text NOT NULL,
     key bytea NOT NULL,
     status text NOT NULL DEFAULT 'pending' CHECK (status IN ('pending', 'delivered', 'failed', 'skipped')),
     due_at timestamptz(3) NOT NULL,
     lease integer NOT NULL DEFAULT 0,
     leased boolean NOT NULL DEFAULT false,
     tries smallint NOT NULL DEFAULT 0,
     attempts jsonb NOT NULL DEFAULT '[]',
     PRIMARY KEY (endpoint, seq, created_at)) PARTITION BY RANGE (created_at)`,
  `CREATE INDEX webhook_delivery_due ON webhook_delivery (endpoint, due_at) WHERE status = 'pending'`,
  'CREATE INDEX webhook_delivery_message ON webhook_delivery (org, seq)',
  `CREATE INDEX webhook_delivery_open ON webhook_delivery (org, status, seq) WHERE status <> 'delivered'`,
  'CREATE INDEX webhook_delivery_key ON webhook_delivery (key)',
  // Keys of an organization that sign with Ed25519 (`v1a`). The private one is encrypted.
  `CREATE TABLE webhook_key (
     org text NOT NULL,
     kid text NOT NULL,
     public_key json NOT NULL,
     private_key bytea NOT NULL,
     created_at timestamptz(3) NOT NULL,
     retired_at timestamptz(3),
     PRIMARY KEY (org, kid))`,
];

const weekSeconds = 604_800;

/**
 * The service owns nothing and cannot create tables, but may call this function. It attaches a table that it has
 * created before, which blocks neither reads nor writes: CREATE TABLE … PARTITION OF would.
 */
const makePartitions = `
CREATE FUNCTION make_webhook_partitions(at timestamptz, days int) RETURNS void
LANGUAGE plpgsql SECURITY DEFINER SET search_path = signals, pg_temp AS $$
DECLARE week bigint; partition text;
BEGIN
  IF days NOT BETWEEN 1 AND 3660 THEN
    RAISE EXCEPTION 'not a number of days: %', days USING ERRCODE = 'invalid_parameter_value';
  END IF;
  LOCK TABLE webhook_delivery IN SHARE UPDATE EXCLUSIVE MODE;
  FOR week IN SELECT generate_series(
      (extract(epoch FROM at)::bigint - days * 86400) / ${weekSeconds},
      extract(epoch FROM at)::bigint / ${weekSeconds} + 2)
  LOOP
    partition := 'webhook_delivery_' || week;
    CONTINUE WHEN to_regclass(partition) IS NOT NULL;
    EXECUTE format('CREATE TABLE %I (LIKE webhook_delivery INCLUDING ALL)', partition);
    EXECUTE format('ALTER TABLE webhook_delivery ATTACH PARTITION %I FOR VALUES FROM (%L) TO (%L)', partition,
      to_timestamp(week * ${weekSeconds}), to_timestamp((week + 1) * ${weekSeconds}));
  END LOOP;
END $$`;

/** Drops what ended more than \`days\` ago. Never less than 30, whatever the service asks for. */
const dropPartitions = `
CREATE FUNCTION drop_webhook_partitions(at timestamptz, days int) RETURNS int
LANGUAGE plpgsql SECURITY DEFINER SET search_path = signals, pg_temp AS $$
DECLARE partition text; dropped int := 0;
BEGIN
  IF days NOT BETWEEN 30 AND 3660 THEN
    RAISE EXCEPTION 'messages are kept for 30 days at least' USING ERRCODE = 'invalid_parameter_value';
  END IF;
  -- Dropping waits for running statements, and later ones wait for it: so it gives up soon, and is repeated.
  SET LOCAL lock_timeout = '2s';
  FOR partition IN SELECT c.relname FROM pg_inherits i JOIN pg_class c ON c.oid = i.inhrelid
     WHERE i.inhparent = 'webhook_delivery'::regclass
       AND (split_part(c.relname, '_', 3)::bigint + 1) * ${weekSeconds} < extract(epoch FROM at)::bigint - days * 86400
     ORDER BY c.relname
  LOOP
    EXECUTE format('DROP TABLE %I', partition);
    dropped := dropped + 1;
  END LOOP;
  RETURN dropped;
END $$`;

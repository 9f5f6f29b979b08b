import type pg from 'pg';
import { databaseRole, databaseServices, type ServiceName } from '@holdfast/contracts';
import { databaseUsers } from '@holdfast/platform-policy';
import type { OwnerConnection } from '../config.js';
import { asOwner } from '../database-owner.js';
import { check, clockFinding, found, megabytes, type Finding, type Result } from './finding.js';
import { migrationsOfThisVersion } from './migrations.js';

const name = 'PostgreSQL';
/** Old enough that a service which runs would have published or appended them. */
const staleAfterSeconds = 60;
const longTransactionSeconds = 600;
const connectionShare = 0.8;
/** A server that hangs must not hide what the statements before have found. */
const queryTimeoutMs = 3000;

/** PostgreSQL: version, clock, roles, migrations, connections, disk, and what waits to be delivered; as the owners. */
export async function databaseFindings(databases: OwnerConnection[]): Promise<Finding[]> {
  const checked = new Set(databases.flatMap(({ services }) => services));
  const unchecked = databaseServices.filter((service) => !checked.has(service));
  const findings = await Promise.all(
    databases.map(async (owner) => {
      const own = await findingsOf(owner);
      // With several databases a finding says whose it is.
      return databases.length === 1 && unchecked.length === 0
        ? own
        : own.map((finding) => ({ ...finding, detail: `${owner.services.join(', ')}: ${finding.detail}` }));
    }),
  );
  if (unchecked.length === 0) return findings.flat();
  const skipped: Finding = {
    check: name,
    result: 'skipped',
    detail: databases.length === 0 ? 'DATABASE_URL is not set' : `there is no address for ${unchecked.join(', ')}`,
    advice: 'Set DATABASE_URL, or DATABASE_URL_<SERVICE>, to the address with the owner as the user, to check it.',
  };
  return [...findings.flat(), skipped];
}

function findingsOf(owner: OwnerConnection): Promise<Finding[]> {
  const { services } = owner;
  return check(name, 'Check DATABASE_URL, DATABASE_CA_FILE, DATABASE_CERT_FILE, and that the server runs.', () =>
    asOwner(
      owner,
      'Connecting',
      async (client) => [
        ...(await serverFindings(client)),
        ...(await step('roles', () => roleFindings(client, services))),
        ...(await step('migrations', () => migrationFindings(client, services))),
        ...(await step('connections', () => connectionFindings(client))),
        ...(await step('undelivered rows', () => backlogFindings(client, services))),
        ...(await step('disk', () => diskFindings(client))),
      ],
      queryTimeoutMs,
    ),
  );
}

function step(title: string, work: () => Promise<Finding[]>): Promise<Finding[]> {
  const advice = 'Run "holdfast database setup" and the migrations. A managed database may not permit this check.';
  return check(title, advice, work);
}

async function one<Row extends pg.QueryResultRow>(client: pg.Client, sql: string, values?: unknown[]): Promise<Row> {
  return (await client.query<Row>(sql, values)).rows[0]!;
}

async function serverFindings(client: pg.Client): Promise<Finding[]> {
  const sentAtMs = Date.now();
  const { version, ms } = await one<{ version: string; ms: number }>(
    client,
    `SELECT current_setting('server_version') AS version, (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS ms`,
  );
  const roundTripMs = Date.now() - sentAtMs;
  return [
    found(name, `version ${version.split(' ')[0]} responds in ${roundTripMs} ms`),
    clockFinding('clock of PostgreSQL', ms - (sentAtMs + roundTripMs / 2), roundTripMs / 2),
  ];
}

async function roleFindings(client: pg.Client, services: readonly ServiceName[]): Promise<Finding[]> {
  const users = databaseUsers(services);
  const { rows } = await client.query<{ role: string; login: boolean; powerful: boolean; foreign: string[] }>(
    `SELECT rolname AS role, rolcanlogin AS login, rolsuper OR rolbypassrls OR rolcreaterole OR rolcreatedb AS powerful,
       ARRAY(SELECT nspname::text FROM pg_namespace n, pg_class c
         WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p') AND nspname = ANY ($2)
           AND 'holdfast_' || nspname <> rolname AND has_schema_privilege(r.oid, n.oid, 'USAGE')
           AND has_table_privilege(r.oid, c.oid, 'SELECT') GROUP BY nspname ORDER BY nspname) AS foreign
     FROM pg_roles r WHERE rolname = ANY ($1)`,
    [users.map((service) => databaseRole(service)), databaseServices],
  );
  const advice = 'Run "holdfast database setup", and find out who changed the role.';
  const problems = users.flatMap((service): Finding[] => {
    const role = rows.find((row) => row.role === databaseRole(service));
    const problem = !role
      ? 'does not exist'
      : !role.login
        ? 'may not log in'
        : role.powerful
          ? 'has rights of an administrator'
          : role.foreign.length > 0
            ? `may read the tables of ${role.foreign.join(', ')}`
            : undefined;
    if (problem === undefined) return [];
    return [{ check: 'roles', result: 'failed', detail: `${databaseRole(service)} ${problem}`, advice }];
  });
  return problems.length > 0 ? problems : [found('roles', `${rows.length} exist, each with its own tables only`)];
}

async function migrationFindings(client: pg.Client, services: readonly ServiceName[]): Promise<Finding[]> {
  const expected = [...(await migrationsOfThisVersion())].filter(([service]) => services.includes(service));
  const problems: Finding[] = [];
  for (const [service, names] of expected) {
    const { rows } = await client.query<{ name: string }>(`SELECT name FROM "${service}".migrations`);
    const applied = new Set(rows.map((row) => row.name));
    const missing = names.filter((migration) => !applied.has(migration));
    const unknown = [...applied].filter((migration) => !names.includes(migration));
    if (missing.length > 0)
      problems.push({
        check: 'migrations',
        result: 'failed',
        detail: `${service} lacks ${missing.join(', ')}`,
        advice: `Run the migrations of ${service}, as the owner of the database, before its new version starts.`,
      });
    else if (unknown.length > 0)
      problems.push({
        check: 'migrations',
        result: 'warning',
        detail: `${service} has ${unknown.length} that this version does not know`,
        advice: 'The database is newer than this command line: use the one of the version that runs.',
      });
  }
  return problems.length > 0 ? problems : [found('migrations', `of ${expected.length} services are applied`)];
}

async function connectionFindings(client: pg.Client): Promise<Finding[]> {
  const { used, max, oldest } = await one<{ used: number; max: number; oldest: number }>(
    client,
    `SELECT count(*)::int AS used, current_setting('max_connections')::int AS max,
       coalesce(extract(epoch FROM max(now() - xact_start) FILTER (WHERE pid <> pg_backend_pid())), 0)::float8 AS oldest
     FROM pg_stat_activity WHERE backend_type = 'client backend'`,
  );
  const full = used > max * connectionShare;
  return [
    {
      check: 'connections',
      result: full ? 'warning' : 'ok',
      detail: `${used} of ${max} are in use`,
      ...(full && { advice: 'Raise max_connections, or lower DATABASE_POOL or the number of replicas.' }),
    },
    ...(oldest > longTransactionSeconds
      ? [
          {
            check: 'transactions',
            result: 'warning' as const,
            detail: `the oldest has been open for ${Math.round(oldest)} s, and deleted rows stay until it ends`,
            advice: 'Find it in pg_stat_activity, and end it.',
          },
        ]
      : []),
  ];
}

/** Rows that a running deployment deletes within seconds, by what they are. */
const backlogs: { service: ServiceName; table: string; what: string; due: string }[] = [
  { service: 'issuance', table: 'outbox', what: 'events of issuance', due: 'created_at' },
  { service: 'directory', table: 'outbox', what: 'events of directory', due: 'created_at' },
  { service: 'audit', table: 'outbox', what: 'events of audit', due: 'created_at' },
  { service: 'auth', table: 'record_outbox', what: 'audit records of auth', due: 'created_at' },
  { service: 'issuance', table: 'record_outbox', what: 'audit records of issuance', due: 'created_at' },
  { service: 'signals', table: 'record_outbox', what: 'audit records of signals', due: 'created_at' },
];

async function backlogFindings(client: pg.Client, services: readonly ServiceName[]): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const { service, table, what, due } of backlogs.filter((backlog) => services.includes(backlog.service))) {
    const { count, oldest } = await one<{ count: number; oldest: number }>(
      client,
      `SELECT count(*)::int AS count, coalesce(extract(epoch FROM now() - min(${due})), 0)::float8 AS oldest
       FROM "${service}".${table} WHERE ${due} < now() - interval '${staleAfterSeconds} s'`,
    );
    if (count === 0) continue;
    findings.push({
      check: 'undelivered rows',
      result: 'warning',
      detail: `${count} ${what} have waited for ${Math.round(oldest)} s at most`,
      advice: 'A consumer does not apply them, or the producer is stopped. Nothing is lost; see the findings above.',
    });
  }
  if (services.includes('audit')) findings.push(...(await quarantineFindings(client)));
  return findings.length > 0 ? findings : [found('undelivered rows', `none is older than ${staleAfterSeconds} s`)];
}

async function quarantineFindings(client: pg.Client): Promise<Finding[]> {
  const { quarantined } = await one<{ quarantined: number }>(
    client,
    'SELECT count(*)::int AS quarantined FROM audit.pending_record WHERE quarantined',
  );
  if (quarantined === 0) return [];
  return [
    {
      check: 'undelivered rows',
      result: 'failed',
      detail: `${quarantined} audit records are quarantined`,
      advice: 'See "When audit records are quarantined" in the runbook.',
    },
  ];
}

async function diskFindings(client: pg.Client): Promise<Finding[]> {
  const sizes = await one<{ database: number; wal: number; archiving: boolean; slots: number }>(
    client,
    `SELECT pg_database_size(current_database())::float8 AS database,
       (SELECT coalesce(sum(size), 0) FROM pg_ls_waldir())::float8 AS wal,
       (SELECT coalesce(last_failed_time > coalesce(last_archived_time, 'epoch'), false) FROM pg_stat_archiver)
         AS archiving,
       (SELECT count(*) FROM pg_replication_slots WHERE NOT active)::int AS slots`,
  );
  const kept = `database ${megabytes(sizes.database)}, write-ahead log ${megabytes(sizes.wal)}`;
  const problem = (detail: string, result: Result, advice: string): Finding => ({
    check: 'disk',
    result,
    detail,
    advice,
  });
  return [
    ...(sizes.archiving
      ? [
          problem(
            `the last attempt to archive the write-ahead log failed; ${kept}`,
            'failed',
            'Mend archive_command: until then the log fills the disk, and no recovery reaches beyond the last archive.',
          ),
        ]
      : []),
    ...(sizes.slots > 0
      ? [
          problem(
            `${sizes.slots} replication slots have no reader and keep the write-ahead log; ${kept}`,
            'warning',
            'Start the replica, or drop the slot.',
          ),
        ]
      : []),
    ...(!sizes.archiving && sizes.slots === 0 ? [found('disk', kept)] : []),
  ];
}

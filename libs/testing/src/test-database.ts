import { randomBytes } from 'node:crypto';
import pg from 'pg';
import { databaseRole, databaseServices, type ServiceName } from '@holdfast/contracts';
import { databaseSetup } from '@holdfast/platform-policy';
import { testDatabaseUrl } from './environment.js';

/** Roles belong to the whole server and suites run concurrently, so every suite sets the same password. */
const password = 'ephemeral';
/** Advisory lock: sessions that alter the same role concurrently fail with "tuple concurrently updated". */
const setupLock = 7_305_402;

/** Twenty times the limits of `Database.connect`. */
const patientLimits = new URLSearchParams({
  connect_timeout: '60',
  statement_timeout: '200000',
  idle_in_transaction_session_timeout: '60000',
});

export interface TestDatabase {
  /** URL as the owner, for migrations. */
  ownerUrl: string;
  /**
   * URL as the role of a service, by default the tested one. Connections, statements and transactions may take twenty
   * times as long as in production, whose limits suit a machine that does nothing else.
   */
  url(service?: ServiceName): string;
  /** The same with the time limits of production, for a test of what happens when one is exceeded. */
  urlWithProductionLimits(): string;
  /** Runs SQL as the owner. */
  query<Row extends pg.QueryResultRow = Record<string, unknown>>(sql: string, params?: unknown[]): Promise<Row[]>;
  /** Number of pages that a statement touches with its generic plan. */
  buffers(text: string, values: readonly unknown[]): Promise<number>;
  /** Makes the database unavailable, ending all sessions, or available again. */
  refuseConnections(refuse: boolean): Promise<void>;
  drop(): Promise<void>;
}

interface Options {
  /** It has no schemas and grants yet, for a test that creates them. */
  isEmpty?: boolean;
  /** `migrate` runs the service's migrations: once per run of the tests, whose other databases are copies. */
  isCopied?: boolean;
  /** Address of another PostgreSQL than that of the tests, as its superuser. */
  server?: string;
}

/** Creates a database with roles, schemas and grants as in production, and the tables of one service. */
export async function createTestDatabase(
  service: ServiceName,
  migrate: (ownerUrl: string) => Promise<unknown>,
  { isEmpty = false, isCopied = false, server = testDatabaseUrl() }: Options = {},
): Promise<TestDatabase> {
  const name = `test_${service}_${randomBytes(6).toString('hex')}`;
  const ownerUrl = urlOf(server, name);
  await withSetupLock(server, async (admin) => {
    if (isCopied)
      await admin.query(`CREATE DATABASE ${name} TEMPLATE ${await original(admin, server, service, migrate)}`);
    else await admin.query(`CREATE DATABASE ${name}`);
    // Of a copy as well: it has no rights of the database itself, and other suites alter roles.
    if (!isEmpty) await setUp(ownerUrl);
  });
  if (!isCopied) await migrate(ownerUrl);
  const pool = new pg.Pool({ connectionString: ownerUrl, max: 4 });
  pool.on('error', () => undefined);
  return {
    ownerUrl,
    url: (other = service) => `${urlOf(server, name, databaseRole(other))}?${patientLimits.toString()}`,
    urlWithProductionLimits: () => urlOf(server, name, databaseRole(service)),
    query: async <Row extends pg.QueryResultRow>(sql: string, params: unknown[] = []) =>
      (await pool.query<Row>(sql, params)).rows,
    buffers: (text, values) => buffersOf(urlOf(server, name, databaseRole(service)), text, values),
    refuseConnections: (refuse) => refuseConnections(server, name, refuse),
    drop: async () => {
      await pool.end();
      await asAdmin(server, (admin) => admin.query(`DROP DATABASE IF EXISTS ${name} WITH (FORCE)`));
    },
  };
}

async function setUp(ownerUrl: string): Promise<void> {
  const passwords = Object.fromEntries(databaseServices.map((s) => [s, password]));
  const owner = await connected(ownerUrl);
  for (const statement of databaseSetup({ passwords, connectionLimit: 150 })) await owner.query(statement);
  await owner.end();
}

/** @returns the name of the database that has the tables of a service and nothing else */
async function original(
  admin: pg.Client,
  server: string,
  service: ServiceName,
  migrate: (ownerUrl: string) => Promise<unknown>,
): Promise<string> {
  const name = `original_${service}`;
  const { rowCount } = await admin.query('SELECT FROM pg_database WHERE datname = $1', [name]);
  if (rowCount) return name;
  const draft = `draft_${service}`;
  await admin.query(`DROP DATABASE IF EXISTS ${draft} WITH (FORCE)`);
  await admin.query(`CREATE DATABASE ${draft}`);
  await setUp(urlOf(server, draft));
  await migrate(urlOf(server, draft));
  await admin.query(`ALTER DATABASE ${draft} RENAME TO ${name}`);
  return name;
}

function urlOf(server: string, database: string, role?: string): string {
  const url = new URL(server);
  url.pathname = `/${database}`;
  if (role) {
    url.username = role;
    url.password = password;
  }
  return url.href;
}

async function buffersOf(url: string, text: string, values: readonly unknown[]): Promise<number> {
  const session = await connected(url);
  try {
    await session.query(`PREPARE measured AS ${text}`);
    const explain = `EXPLAIN (ANALYZE, BUFFERS, FORMAT JSON) EXECUTE measured (${values.map(literal).join(', ')})`;
    // The first run also reads the catalogue, which does not belong to the statement.
    await session.query(explain);
    const { rows } = await session.query<{ 'QUERY PLAN': [{ Plan: Record<string, number> }] }>(explain);
    const { Plan: plan } = rows[0]!['QUERY PLAN'][0];
    return plan['Shared Hit Blocks']! + plan['Shared Read Blocks']!;
  } finally {
    await session.end();
  }
}

function literal(value: unknown): string {
  if (value === null) return 'NULL';
  if (Buffer.isBuffer(value)) return `'\\x${value.toString('hex')}'::bytea`;
  // Without a type, so that it may be an array of UUIDs.
  if (Array.isArray(value) && value.every((element) => typeof element === 'string'))
    return pg.escapeLiteral(`{${value.map((element) => JSON.stringify(element)).join(',')}}`);
  if (Array.isArray(value)) return `ARRAY[${value.map(literal).join(', ')}]`;
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (value instanceof Date) return pg.escapeLiteral(value.toISOString());
  if (typeof value === 'string') return pg.escapeLiteral(value);
  throw new TypeError(`buffers() has no literal for a ${typeof value}`);
}

async function refuseConnections(server: string, name: string, refuse: boolean): Promise<void> {
  await asAdmin(server, async (admin) => {
    await admin.query(`ALTER DATABASE ${name} ALLOW_CONNECTIONS ${!refuse}`);
    if (refuse)
      await admin.query(
        // Waits until each has ended, since a statement in between would still succeed.
        'SELECT pg_terminate_backend(pid, 5000) FROM pg_stat_activity WHERE datname = $1 AND pid <> pg_backend_pid()',
        [name],
      );
  });
}

/** Runs a command that alters roles while no suite does. */
export function alteringRoles(work: () => Promise<unknown>): Promise<void> {
  return withSetupLock(testDatabaseUrl(), async () => void (await work()));
}

async function withSetupLock(server: string, work: (admin: pg.Client) => Promise<void>): Promise<void> {
  await asAdmin(server, async (admin) => {
    await admin.query('SELECT pg_advisory_lock($1)', [setupLock]);
    await work(admin);
  });
}

/** The end of the session releases its advisory lock. */
async function asAdmin<T>(server: string, work: (admin: pg.Client) => Promise<T>): Promise<T> {
  const admin = await connected(server);
  try {
    return await work(admin);
  } finally {
    await admin.end();
  }
}

async function connected(connectionString: string): Promise<pg.Client> {
  const client = new pg.Client({ connectionString });
  await client.connect();
  return client;
}

// The login of each service to database and bus has the rights of docs/reference/bus.md, and no others.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect } from '@nats-io/transport-node';
import pg from 'pg';
import {
  databaseRole,
  databaseServices,
  natsUsers,
  serviceNames,
  type BusUser,
  type ServiceName,
} from '@holdfast/contracts';
import { eventually } from '@holdfast/testing';
import { stack } from '../clients/under-test.ts';
import { connectAs } from '../stack/nats.ts';

function withRole<T>(service: ServiceName, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return loggedIn(databaseRole(service), stack.secrets[`DB_PASSWORD_${service.toUpperCase()}`]!, work);
}

async function loggedIn<T>(user: string, password: string, work: (client: pg.Client) => Promise<T>): Promise<T> {
  const url = new URL(stack.launcher.databaseUrl);
  url.username = user;
  url.password = password;
  const client = new pg.Client({ connectionString: url.href });
  try {
    await client.connect();
    return await work(client);
  } finally {
    await client.end();
  }
}

/** The SQLSTATE with which a statement fails; undefined when it succeeds. */
async function sqlStateOf(client: pg.Client, sql: string): Promise<string | undefined> {
  try {
    await client.query(sql);
    return undefined;
  } catch (error) {
    return (error as { code?: string }).code;
  }
}

const forbidden = '42501';
const rows = ['SELECT', 'INSERT', 'UPDATE', 'DELETE'];
const beyondRows = ['TRUNCATE', 'REFERENCES', 'TRIGGER'];
/** Even audit itself cannot change what it has appended. */
const appendOnly = (table: string): boolean => /^audit\.(entry|entry_target|leaf|subtree)(_|$)/.test(table);
/** Only the owner's command `holdfast org move` writes it (docs/adr/0053-organization-moves.md). */
const readOnly = (table: string): boolean => table.endsWith('.organization_fence');
/** The one table that two services share: issuance raises watermarks, subjects reads and deletes them. */
const onWatermarks: Partial<Record<ServiceName, string[]>> = {
  issuance: ['SELECT', 'INSERT', 'UPDATE'],
  subjects: ['SELECT', 'DELETE'],
};

describe.each(databaseServices)('the database role of %s', (service) => {
  let tables: { schema: string; name: string }[];
  beforeAll(async () => {
    const query =
      'SELECT schemaname AS schema, tablename AS name FROM pg_tables ' +
      "WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    tables = await withRole(
      service,
      async (client) => (await client.query<{ schema: string; name: string }>(query)).rows,
    );
  });

  it('may change the rows of its own tables, but not the tables', async () => {
    const own = tables.filter((t) => t.schema === service);
    expect(own.length).toBeGreaterThan(1);
    await withRole(service, async (client) => {
      for (const { schema, name } of own) {
        const table = `${schema}.${name}`;
        expect({ table, may: await privileges(client, table) }).toEqual({
          table,
          may: readOnly(table) ? ['SELECT'] : appendOnly(table) ? ['SELECT', 'INSERT'] : rows,
        });
      }
      const { name } = own.find((t) => ![appendOnly, readOnly].some((is) => is(`${t.schema}.${t.name}`)))!;
      for (const sql of [
        `ALTER TABLE ${service}.${name} ADD COLUMN x int`,
        `DROP TABLE ${service}.${name}`,
        `TRUNCATE ${service}.${name}`,
        `ALTER TABLE ${service}.${name} OWNER TO ${databaseRole(service)}`,
      ]) {
        expect({ sql, error: await sqlStateOf(client, sql) }).toEqual({ sql, error: forbidden });
      }
      // A GRANT without the right to grant is only a warning in PostgreSQL, so its effect is checked as well.
      await client.query(`GRANT SELECT ON ${service}.${name} TO PUBLIC`).catch(() => undefined);
      expect(await hasPublicGrant(client, `${service}.${name}`)).toBe(false);
      expect(await privileges(client, `${service}.${name}`)).toEqual(rows);
    });
  });

  it("may not access another service's tables", async () => {
    const foreign = tables.filter((t) => t.schema !== service && t.schema !== 'watermarks');
    expect(new Set(foreign.map((t) => t.schema)).size).toBe(databaseServices.length - 1);
    await withRole(service, async (client) => {
      for (const { schema, name } of foreign) {
        for (const sql of [
          `SELECT 1 FROM ${schema}.${name} LIMIT 1`,
          `DELETE FROM ${schema}.${name} WHERE false`,
          `INSERT INTO ${schema}.${name} DEFAULT VALUES`,
          `COPY ${schema}.${name} TO STDOUT`,
        ]) {
          expect({ sql, error: await sqlStateOf(client, sql) }).toEqual({ sql, error: forbidden });
        }
      }
    });
  });

  it('may access watermarks only as far as it needs them', async () => {
    await withRole(service, async (client) => {
      const permitted = onWatermarks[service] ?? [];
      expect(await privileges(client, 'watermarks.subjects')).toEqual(permitted);
      const error = await sqlStateOf(client, 'SELECT 1 FROM watermarks.subjects');
      expect(error).toBe(permitted.includes('SELECT') ? undefined : forbidden);
    });
  });

  it('may not create objects, change its role or access the server', async () => {
    const other = databaseServices.find((s) => s !== service)!;
    const statements = [
      `CREATE TABLE ${service}.mine (x int)`,
      `CREATE TABLE ${other}.mine (x int)`,
      'CREATE TABLE public.mine (x int)',
      'CREATE TABLE watermarks.mine (x int)',
      'CREATE SCHEMA mine',
      'CREATE DATABASE mine',
      'CREATE ROLE mine',
      `CREATE FUNCTION ${service}.mine() RETURNS int LANGUAGE sql AS 'SELECT 1'`,
      `CREATE VIEW ${service}.mine AS SELECT 1`,
      `SET ROLE ${databaseRole(other)}`,
      'SET ROLE postgres',
      'SELECT * FROM pg_authid',
      "SELECT pg_read_file('/etc/passwd')",
      "COPY (SELECT 1) TO PROGRAM 'true'",
      "COPY (SELECT 1) TO '/tmp/x'",
      'ALTER SYSTEM SET log_statement = none',
      `ALTER ROLE ${databaseRole(service)} SUPERUSER`,
      `ALTER ROLE ${databaseRole(other)} PASSWORD 'x'`,
      'SELECT pg_reload_conf()',
    ];
    await withRole(service, async (client) => {
      for (const sql of statements)
        expect({ sql, error: await sqlStateOf(client, sql) }).toEqual({ sql, error: forbidden });
    });
  });

  async function hasPublicGrant(client: pg.Client, table: string): Promise<boolean> {
    const query =
      'SELECT EXISTS (SELECT FROM pg_class, aclexplode(relacl) WHERE oid = $1::regclass AND grantee = 0) AS granted';
    return (await client.query<{ granted: boolean }>(query, [table])).rows[0]!.granted;
  }

  async function privileges(client: pg.Client, table: string): Promise<string[]> {
    const [schema] = table.split('.');
    const all = [...rows, ...beyondRows];
    const columns = all.map(
      (privilege, i) => `has_schema_privilege($1, 'USAGE') AND has_table_privilege($2, '${privilege}') AS p${i}`,
    );
    const query = `SELECT ${columns.join(', ')}`;
    const [row] = (await client.query<Record<string, boolean>>(query, [schema, table])).rows;
    return all.filter((_, i) => row![`p${i}`]);
  }
});

it('has no role for a service without a database', async () => {
  const without = serviceNames.filter((s) => !databaseServices.includes(s));
  expect(without.length).toBeGreaterThan(0);
  for (const service of without)
    await expect(withRole(service, (client) => client.query('SELECT 1'))).rejects.toThrow();
});

/** Streams and their consumers. They are repeated here, so that a change of the contracts alone fails a test. */
const streams: Record<string, ServiceName[]> = { ISSUANCE: ['subjects', 'audit'], DIRECTORY: ['audit'] };

function forbiddenTo(user: BusUser): { publish: string[]; subscribe: string[] } {
  const others = natsUsers.filter((u) => u !== user);
  const api = Object.entries(streams).flatMap(([stream, consumers]) => [
    ...['PURGE', 'DELETE', 'MSG.DELETE', 'MSG.GET', 'SNAPSHOT', 'RESTORE'].map(
      (verb) => `$JS.API.STREAM.${verb}.${stream}`,
    ),
    ...(user === 'deploy' ? [] : ['CREATE', 'UPDATE'].map((verb) => `$JS.API.STREAM.${verb}.${stream}`)),
    ...(user === 'deploy'
      ? []
      : [`$JS.API.CONSUMER.DURABLE.CREATE.${stream}.mine`, `$JS.API.CONSUMER.CREATE.${stream}.mine`]),
    ...consumers.map((c) => `$JS.API.CONSUMER.DELETE.${stream}.${c}`),
    ...consumers
      .filter((c) => c !== user)
      .flatMap((c) => [`$JS.API.CONSUMER.MSG.NEXT.${stream}.${c}`, `$JS.ACK.${stream}.${c}.1.1.1.1.0`]),
    ...(stream === user.toUpperCase() ? [] : [`evt.${stream.toLowerCase()}.anything`]),
  ]);
  return {
    publish: [
      ...api,
      '$JS.API.STREAM.CREATE.MINE',
      '$JS.API.STREAM.DELETE.MINE',
      '$JS.API.STREAM.LIST',
      '$JS.API.ACCOUNT.PURGE.X',
      '$SYS.REQ.SERVER.PING',
      '$SYS.REQ.ACCOUNT.X.CONNZ',
      'anything',
      ...others.map((u) => `_INBOX_${u}.x`),
      ...(user === 'directory' ? [] : ['feed.directory.access']),
      // No other user may create or erase customers, change apps or append to the log.
      ...(user === 'gateway'
        ? []
        : [
            'rpc.issuance.create-offer',
            'rpc.issuance.erase-subject',
            'rpc.subjects.list-subjects',
            'rpc.auth.platform-keys',
            'rpc.audit.list-events',
          ]),
      ...(user === 'operator'
        ? []
        : [
            'rpc.directory.create-app',
            'rpc.directory.grant-operations',
            'rpc.directory.create-secret',
            'rpc.directory.disable-app',
          ]),
      ...(user === 'auth' ? [] : ['rpc.directory.get-client']),
      ...(['gateway', 'auth', 'issuance', 'signals'].includes(user) ? [] : ['rpc.audit.append-records']),
    ],
    subscribe: [
      '>',
      '*',
      '*.>',
      'rpc.>',
      'rpc.*.>',
      'evt.>',
      'applied.>',
      'feed.>',
      '$JS.>',
      '$SYS.>',
      '_INBOX.>',
      '_INBOX_*.>',
      ...serviceNames.map((s) => `rpc.${s}.>`),
      ...others.map((u) => `_INBOX_${u}.>`),
      ...Object.keys(streams).map((s) => `evt.${s.toLowerCase()}.>`),
    ],
  };
}

describe.each(natsUsers)('the bus user %s', (user) => {
  let session: Awaited<ReturnType<typeof connectAs>>;
  beforeAll(async () => void (session = await connectAs(stack, user)));
  afterAll(() => session.connection.close());

  it('may neither publish nor subscribe to subjects that are not its own', async () => {
    const { connection, violations } = session;
    const { publish, subscribe } = forbiddenTo(user);
    for (const subject of publish) connection.publish(subject, '{}');
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => undefined });
    await connection.flush();
    await eventually(() => violations.length >= publish.length + subscribe.length).catch(() => undefined);
    const subjects = (operation: string) => violations.filter((v) => v.operation === operation).map((v) => v.subject);
    expect(publish.filter((s) => !subjects('publish').includes(s))).toEqual([]);
    expect(subscribe.filter((s) => !subjects('subscription').includes(s))).toEqual([]);
  });

  it('may not subscribe to the requests of another service, in any queue group', async () => {
    const { connection, violations } = session;
    const before = violations.length;
    const foreign = serviceNames
      .filter((s) => s !== user)
      .flatMap(
        (s) =>
          [
            [s, s],
            [s, 'mine'],
            [s, user],
          ] as const,
      );
    for (const [service, queue] of foreign)
      connection.subscribe(`rpc.${service}.>`, { queue, callback: () => undefined });
    await connection.flush();
    await eventually(() => violations.length >= before + foreign.length, 'a violation for every queue group');
  });

  it('may subscribe to its own replies', async () => {
    const { connection, violations } = session;
    const before = violations.length;
    connection.subscribe(`_INBOX_${user}.mine`, { callback: () => undefined });
    await connection.flush();
    expect(violations.length).toBe(before);
  });
});

describe('a client without a login', () => {
  it('cannot connect to the bus', async () => {
    const { natsUrl } = stack.launcher;
    await expect(connect({ servers: natsUrl, reconnect: false })).rejects.toThrow(/authorization/i);
    await expect(
      connect({ servers: natsUrl, reconnect: false, user: 'gateway', pass: stack.secrets.NATS_NKEY_SEED_GATEWAY! }),
    ).rejects.toThrow(/authorization/i);
  });

  it('cannot connect to the database', async () => {
    const { issuance, subjects } = Object.fromEntries(databaseServices.map((s) => [s, databaseRole(s)])) as Record<
      ServiceName,
      string
    >;
    for (const [user, password] of [
      ['postgres', ''],
      ['postgres', 'postgres'],
      [issuance, ''],
      [issuance, stack.secrets.DB_PASSWORD_SUBJECTS!],
      [subjects, subjects],
    ] as const) {
      await expect(loggedIn(user, password, () => Promise.resolve())).rejects.toThrow();
    }
  });
});

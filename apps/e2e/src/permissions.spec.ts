// What a service's login to database and bus can do: what the picture says, and nothing else.
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
import { eventually } from './parallel.ts';
import { connectAs } from './nats.ts';
import { stack } from './under-test.ts';

function withRole<T>(service: ServiceName, work: (client: pg.Client) => Promise<T>): Promise<T> {
  return loggedIn(databaseRole(service), stack.secrets.databasePasswords[service]!, work);
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

/** The SQLSTATE that a statement fails with; undefined when it does not fail. */
async function rejectionOf(client: pg.Client, sql: string): Promise<string | undefined> {
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
/** What stands in the log stays as it is, also for the service that keeps it. */
const appendOnly = (table: string): boolean => /^audit\.(entry|entry_target|leaf|subtree)(_|$)/.test(table);
/** The one table that two services share: who raises marks, who reads and takes them down. */
const onMarks: Partial<Record<ServiceName, string[]>> = {
  issuance: ['SELECT', 'INSERT', 'UPDATE'],
  subjects: ['SELECT', 'DELETE'],
};

describe.each(databaseServices)('the database role of %s', (service) => {
  let tables: { schema: string; name: string }[];
  beforeAll(async () => {
    const query =
      "SELECT schemaname AS schema, tablename AS name FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')";
    tables = await withRole(
      service,
      async (client) => (await client.query<{ schema: string; name: string }>(query)).rows,
    );
  });

  it('may work with the rows of its own tables, and not change the tables', async () => {
    const own = tables.filter((t) => t.schema === service);
    expect(own.length).toBeGreaterThan(1);
    await withRole(service, async (client) => {
      for (const { schema, name } of own) {
        const table = `${schema}.${name}`;
        expect({ table, may: await privileges(client, table) }).toEqual({
          table,
          may: appendOnly(table) ? ['SELECT', 'INSERT'] : rows,
        });
      }
      const { name } = own.find((t) => !appendOnly(`${t.schema}.${t.name}`))!;
      for (const sql of [
        `ALTER TABLE ${service}.${name} ADD COLUMN x int`,
        `DROP TABLE ${service}.${name}`,
        `TRUNCATE ${service}.${name}`,
        `GRANT SELECT ON ${service}.${name} TO PUBLIC`,
        `ALTER TABLE ${service}.${name} OWNER TO ${databaseRole(service)}`,
      ]) {
        expect({
          sql,
          error: sql.startsWith('GRANT')
            ? ((await rejectionOf(client, sql)) ?? forbidden)
            : await rejectionOf(client, sql),
        }).toEqual({ sql, error: forbidden });
      }
      expect(await privileges(client, `${service}.${name}`)).toEqual(rows);
    });
  });

  it("may not see another service's tables", async () => {
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
          expect({ sql, error: await rejectionOf(client, sql) }).toEqual({ sql, error: forbidden });
        }
      }
    });
  });

  it('may do with marks what it must, and no more', async () => {
    await withRole(service, async (client) => {
      const may = onMarks[service] ?? [];
      expect(await privileges(client, 'watermarks.subjects')).toEqual(may);
      if (may.length === 0) expect(await rejectionOf(client, 'SELECT 1 FROM watermarks.subjects')).toBe(forbidden);
    });
  });

  it('may make nothing, become nobody, and read nothing of the server', async () => {
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
        expect({ sql, error: await rejectionOf(client, sql) }).toEqual({ sql, error: forbidden });
    });
  });

  async function privileges(client: pg.Client, table: string): Promise<string[]> {
    const [schema] = table.split('.');
    const all = [...rows, ...beyondRows];
    const query = `SELECT ${all.map((p, i) => `has_schema_privilege($1, 'USAGE') AND has_table_privilege($2, '${p}') AS p${i}`).join(', ')}`;
    const [row] = (await client.query<Record<string, boolean>>(query, [schema, table])).rows;
    return all.filter((_, i) => row![`p${i}`]);
  }
});

it('a service without a database has no role', async () => {
  const without = serviceNames.filter((s) => !databaseServices.includes(s));
  expect(without.length).toBeGreaterThan(0);
  for (const service of without)
    await expect(withRole(service, (client) => client.query('SELECT 1'))).rejects.toThrow();
});

/** Streams and who consumes them; written here again, so that a change of the contracts alone is noticed. */
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
      // Nobody may make or erase a customer, change an app, or write the log in another's place.
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
      ...(user === 'gateway' || user === 'auth' ? [] : ['rpc.audit.append-records']),
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

  it('may neither speak nor listen where it has no part', async () => {
    const { connection, refused } = session;
    const { publish, subscribe } = forbiddenTo(user);
    for (const subject of publish) connection.publish(subject, '{}');
    for (const subject of subscribe) connection.subscribe(subject, { callback: () => undefined });
    await connection.flush();
    await eventually(async () => refused.length >= publish.length + subscribe.length, 5000).catch(() => undefined);
    const of = (operation: string) => refused.filter((r) => r.operation === operation).map((r) => r.subject);
    expect(publish.filter((s) => !of('publish').includes(s))).toEqual([]);
    expect(subscribe.filter((s) => !of('subscription').includes(s))).toEqual([]);
  });

  it('may not answer in the place of another service, in whichever queue', async () => {
    const { connection, refused } = session;
    const before = refused.length;
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
    await eventually(async () => refused.length >= before + foreign.length, 5000, 'refusing every queue');
  });

  it('may listen to its own answers', async () => {
    const { connection, refused } = session;
    const before = refused.length;
    connection.subscribe(`_INBOX_${user}.mine`, { callback: () => undefined });
    await connection.flush();
    expect(refused.length).toBe(before);
  });
});

describe('a stranger', () => {
  it('does not get onto the bus', async () => {
    const { natsUrl } = stack.launcher;
    await expect(connect({ servers: natsUrl, reconnect: false })).rejects.toThrow(/authorization/i);
    await expect(
      connect({ servers: natsUrl, reconnect: false, user: 'gateway', pass: stack.secrets.nkeySeeds.gateway! }),
    ).rejects.toThrow(/authorization/i);
  });

  it('does not get into the database', async () => {
    const { issuance, subjects } = Object.fromEntries(databaseServices.map((s) => [s, databaseRole(s)])) as Record<
      ServiceName,
      string
    >;
    for (const [user, password] of [
      ['postgres', ''],
      ['postgres', 'postgres'],
      [issuance, ''],
      [issuance, stack.secrets.databasePasswords.subjects!],
      [subjects, subjects],
    ] as const) {
      await expect(loggedIn(user, password, () => Promise.resolve())).rejects.toThrow();
    }
  });
});

import { createHash } from 'node:crypto';

/** Runs SQL as the owner of the database. */
type Query = (sql: string) => Promise<Record<string, unknown>[]>;
type Kind = 'person' | 'group' | 'assignment' | 'group assignment' | 'access request';

const apps = 100;
const loaded = ['person', 'person_search_token', 'person_group', 'group_member', 'assignment', 'access_request'];

/**
 * An organization of thousands of people in directory's tables, for tests and the benchmark. For each ten people there
 * are one group, a hundred memberships, ten assignments and two access requests; there are 100 apps for people. The
 * later something was created, the higher its number.
 *
 * - People: every tenth has a role. The personal data of all is random: nobody can decrypt it.
 * - Groups: nine of ten have 100 members. The last group has everybody; the others have none. `busy` is in 90 more.
 * - Assignments: each group to one app, each person but every tenth to one.
 * - Access requests: of every fifth person. Half of them are pending, all of these for the first app.
 */
export class LargeOrganization {
  /** The person who is in a hundred groups. */
  readonly busy = 7;
  /** A hash that finds everybody, and one that finds one of a hundred people. */
  readonly tokens: readonly [everybody: Buffer, few: Buffer];

  constructor(
    readonly org: string,
    readonly people: number,
    everybody: Buffer = Buffer.alloc(16, 1),
  ) {
    if (people % 1000 !== 0) throw new RangeError(`${people} people are no multiple of 1000`);
    this.tokens = [everybody, Buffer.alloc(16, 2)];
  }

  /** The group that has everybody. */
  get everybody(): number {
    return this.people / 10;
  }

  app(i: number): string {
    return `app_${this.org}_${i}`;
  }

  id(kind: Kind, i: number): string {
    const hash = createHash('md5').update(`${this.org} ${kind} ${i}`).digest('hex');
    return hash.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-');
  }

  at(i: number): string {
    return new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000).toISOString();
  }

  /**
   * Inserts it within seconds: without foreign keys, and with indexes that are built when all rows are there. The
   * organization may exist. There must be a person already, the id of whose encryption key these people get: to find
   * rows with other keys is work for directory.
   */
  async insert(query: Query): Promise<void> {
    const indexes = await query(
      `SELECT format('%I.%I', 'directory', x.relname) AS name, pg_get_indexdef(i.indexrelid) AS definition
       FROM pg_index i JOIN pg_class x ON x.oid = i.indexrelid
       WHERE i.indrelid = ANY (ARRAY[${loaded.map((table) => `'directory.${table}'`).join(', ')}]::regclass[])
         AND NOT EXISTS (SELECT FROM pg_constraint c WHERE c.conindid = i.indexrelid)`,
    );
    const key = (table: string, columns: string) => [
      `ALTER TABLE directory.${table} DROP CONSTRAINT ${table}_pkey`,
      `ALTER TABLE directory.${table} ADD CONSTRAINT ${table}_pkey PRIMARY KEY (${columns})`,
    ];
    const keys = [
      key('group_member', 'org, group_id, person_id'),
      key('person_search_token', 'org, token, created_at, person_id'),
    ];
    const statements = [
      'SET LOCAL session_replication_role = replica',
      `SET LOCAL maintenance_work_mem = '256MB'`,
      ...keys.map(([drop]) => drop),
      ...indexes.map(({ name }) => `DROP INDEX ${String(name)}`),
      ...this.inserts(),
      ...keys.map(([, add]) => add),
      ...indexes.map(({ definition }) => String(definition)),
      ...[...loaded, 'app'].map((table) => `ANALYZE directory.${table}`),
    ];
    // One message: PostgreSQL runs its statements as one transaction.
    await query(statements.join(';\n'));
  }

  private inserts(): string[] {
    const { org, people, everybody } = this;
    const at = (i = 'i') => `timestamptz '2026-01-01' + ${i} * interval '1 second'`;
    const id = (kind: Kind, i = 'i') => `md5('${org} ${kind} ' || (${i}))::uuid`;
    const app = `'app_${org}_' || 1 + i % ${apps}`;
    const hash = (token: Buffer) => `'\\x${token.toString('hex')}'::bytea`;
    const groups = (everybody * 9) / 10;
    // The members of a group are as far from each other as possible, so that each person is in as many groups.
    const distance = people / 100;
    const person = `1 + (g * 37 + i * ${distance}) % ${people}`;
    const [all, few] = this.tokens;
    return [
      `INSERT INTO directory.organization (short_id, name) VALUES ('${org}', 'Large') ON CONFLICT DO NOTHING`,
      `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version, built_in)
       SELECT CASE i WHEN 0 THEN 'hub_${org}' ELSE 'app_${org}_' || i END, '${org}', 'app ' || i, 'web', 'people',
         '{}', '2026-11-01', i = 0
       FROM generate_series(0, ${apps}) i ON CONFLICT DO NOTHING`,
      `INSERT INTO directory.person (id, org, status, roles, email_index, personal_data, personal_data_key,
         encryption_key_id, user_handle, created_at)
       SELECT ${id('person')}, '${org}', 'active', CASE WHEN i % 10 = 0 THEN '{support}'::text[] ELSE '{}' END,
         sha256(('${org} ' || i)::bytea), sha256('data'), sha256('key'), key.id, sha256(('${org} handle ' || i)::bytea),
         ${at()}
       FROM (SELECT encryption_key_id AS id FROM directory.person LIMIT 1) key, generate_series(1, ${people}) i`,
      `INSERT INTO directory.person_search_token (org, token, created_at, person_id)
       SELECT '${org}', ${hash(all)}, ${at()}, ${id('person')} FROM generate_series(1, ${people}) i
       UNION ALL
       SELECT '${org}', ${hash(few)}, ${at()}, ${id('person')} FROM generate_series(100, ${people}, 100) i`,
      `INSERT INTO directory.person_group (id, org, name, name_key, created_at)
       SELECT ${id('group')}, '${org}', 'group ' || i, 'group ' || i, ${at()} FROM generate_series(1, ${everybody}) i`,
      `INSERT INTO directory.group_member (org, group_id, person_id, added_at)
       SELECT '${org}', ${id('group', 'g')}, ${id('person', person)}, ${at()}
       FROM generate_series(1, ${groups}) g, generate_series(1, 100) i
       UNION ALL
       SELECT '${org}', ${id('group', String(everybody))}, ${id('person')}, ${at()}
       FROM generate_series(1, ${people}) i
       UNION ALL
       SELECT '${org}', ${id('group', 'g')}, ${id('person', String(this.busy))}, ${at('g')}
       FROM generate_series(1, 90) g WHERE (${this.busy} - 1 - g * 37) % ${distance} <> 0`,
      `INSERT INTO directory.assignment (id, org, client_id, person_id, created_at)
       SELECT ${id('assignment')}, '${org}', ${app}, ${id('person')}, ${at()}
       FROM generate_series(1, ${people}) i WHERE i % 10 > 0`,
      `INSERT INTO directory.assignment (id, org, client_id, group_id, created_at)
       SELECT ${id('group assignment')}, '${org}', ${app}, ${id('group')}, ${at()}
       FROM generate_series(1, ${everybody}) i`,
      `INSERT INTO directory.access_request (id, org, person_id, client_id, reason, status, requested_seconds,
         created_at, expires_at)
       SELECT ${id('access request')}, '${org}', ${id('person')},
         CASE WHEN i % 10 = 0 THEN 'app_${org}_1' ELSE ${app} END, sha256('reason'),
         CASE i % 2 WHEN 0 THEN 'pending' ELSE 'withdrawn' END, 3600, ${at()}, now() + interval '1 year'
       FROM generate_series(5, ${people}, 5) i`,
    ];
  }
}

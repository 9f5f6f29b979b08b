import { randomUUID } from 'node:crypto';
import { database } from '../directory.fixture.js';

/** Rows as sign-in and lists need them. The personal data is random: nobody decrypts it. */
const columns = `INSERT INTO directory.person
  (id, org, status, email_index, personal_data, personal_data_key, encryption_key_id, user_handle, created_at)`;
const random = 'uuid_send(gen_random_uuid())';
const personal = `${random}, ${random}, ${random}, ${random}, ${random} || ${random}`;

export type PersonStatus = 'invited' | 'active' | 'deactivated';

export async function insertPerson(status: PersonStatus = 'active', org = 'acme', at = new Date()): Promise<string> {
  const id = randomUUID();
  await database.query(`${columns} SELECT $1, $2, $3, ${personal}, $4`, [id, org, status, at]);
  return id;
}

export async function insertApp(
  { audience = 'people', disabled = false, org = 'acme' } = {},
  at = new Date(),
): Promise<string> {
  const id = `app_${randomUUID().replaceAll('-', '').slice(0, 22)}`;
  await database.query(
    `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version, disabled, created_at)
     VALUES ($1, $2, $1, 'web', $3, '{}', '2026-11-01', $4, $5)`,
    [id, org, audience, disabled, at],
  );
  return id;
}

/**
 * An organization of the size for which the statements are made: 100,000 people in 10,000 groups of 100 members each
 * (1,000,000 memberships), 100 apps, and 100,000 assignments: 90,000 of people, 10,000 of groups. Each group is
 * assigned to one app, each person but every tenth to one.
 */
export async function insertLargeOrganization(org: string): Promise<void> {
  const at = `timestamptz '2026-01-01' + i * interval '1 second'`;
  const id = (kind: string, i: string) => `md5('${org} ${kind} ' || (${i}))::uuid`;
  const inserts = [
    `INSERT INTO directory.organization (short_id, name) VALUES ('${org}', 'Large')`,
    `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version, built_in)
       SELECT CASE i WHEN 0 THEN 'hub_${org}' ELSE 'app_${org}_' || i END, '${org}', 'app ' || i, 'web', 'people', '{}',
         '2026-11-01', i = 0
       FROM generate_series(0, 100) i`,
    `${columns} SELECT ${id('person', 'i')}, '${org}', 'active', ${personal}, ${at} FROM generate_series(1, 100000) i`,
    `INSERT INTO directory.person_group (id, org, name, name_key, created_at)
       SELECT ${id('group', 'i')}, '${org}', 'group ' || i, 'group ' || i, ${at} FROM generate_series(1, 10000) i`,
    `INSERT INTO directory.group_member (org, group_id, person_id, added_at)
       SELECT '${org}', ${id('group', 'g')}, ${id('person', '1 + (g * 37 + i * 997) % 100000')}, ${at}
       FROM generate_series(1, 10000) g, generate_series(1, 100) i ORDER BY 2, 3 ON CONFLICT DO NOTHING`,
    `INSERT INTO directory.assignment (id, org, client_id, person_id, created_at)
       SELECT ${id('assignment', 'i')}, '${org}', 'app_${org}_' || 1 + i % 100, ${id('person', 'i')}, ${at}
       FROM generate_series(1, 100000) i WHERE i % 10 > 0`,
    `INSERT INTO directory.assignment (id, org, client_id, group_id, created_at)
       SELECT ${id('group assignment', 'i')}, '${org}', 'app_${org}_' || 1 + i % 100, ${id('group', 'i')}, ${at}
       FROM generate_series(1, 10000) i`,
  ];
  // Without the checks of a million foreign keys, and with indexes that are built at once, it takes seconds.
  const indexes = await database.query<{ name: string; definition: string }>(
    `SELECT indexrelid::regclass::text AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
     WHERE indrelid = 'directory.group_member'::regclass AND NOT indisprimary`,
  );
  const dropped = indexes.map(({ name }) => `DROP INDEX ${name}`);
  const rebuilt = indexes.map(({ definition }) => definition);
  await database.query(['SET LOCAL session_replication_role = replica', ...dropped, ...inserts, ...rebuilt].join('; '));
  for (const table of ['person', 'person_group', 'group_member', 'assignment', 'app'])
    await database.query(`ANALYZE directory.${table}`);
}

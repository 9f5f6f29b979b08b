import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Statement } from '@holdfast/data';
import { database, withDirectory } from '../directory.fixture.js';
import { peoplePages } from './people-list.js';

const org = 'large';
const people = 20_000;
const limit = 51;
const several = 1000;
const token = Buffer.alloc(16, 1);
const group = '00000000-0000-4000-8000-000000000001';
const lastId = 'ffffffff-ffff-ffff-ffff-ffffffffffff';
const at = (i: number) => new Date(Date.parse('2026-01-01T00:00:00Z') + i * 1000).toISOString();

describe('a list of 20,000 people who are all found, and all in one group', () => {
  withDirectory();

  beforeAll(async () => {
    const createdAt = `timestamptz '2026-01-01' + i * interval '1 second'`;
    const inserts = [
      `INSERT INTO directory.organization (short_id, name) VALUES ('${org}', 'Large')`,
      `INSERT INTO directory.person (id, org, status, roles, email_index, personal_data, personal_data_key,
         encryption_key_id, user_handle, created_at)
       SELECT md5('person' || i)::uuid, '${org}', 'active',
         CASE WHEN i % 100 = 0 THEN '{support}'::text[] ELSE '{}' END,
         decode(md5('email' || i), 'hex'), 'x', 'x', 'x', sha256(i::text::bytea), ${createdAt}
       FROM generate_series(1, ${people}) i`,
      `INSERT INTO directory.person_group (id, org, name, name_key) VALUES ('${group}', '${org}', 'all', 'all')`,
      `INSERT INTO directory.group_member (org, group_id, person_id, added_at)
       SELECT '${org}', '${group}', md5('person' || i)::uuid, ${createdAt} FROM generate_series(1, ${people}) i`,
      `INSERT INTO directory.person_search_token (org, token, created_at, person_id)
       SELECT '${org}', '\\x${token.toString('hex')}', ${createdAt}, md5('person' || i)::uuid
       FROM generate_series(1, ${people}) i`,
    ];
    await database.query(inserts.join('; '));
  }, 120_000);

  const first = ['infinity', lastId];
  const late = (i: number) => [at(i), lastId];
  const page = (after: unknown[], filters: unknown[], scanned: number) => [org, ...after, ...filters, scanned];

  it.each<[name: string, statement: Statement, filters: unknown[], scanned: number, late: number, most: number]>([
    ['everybody', peoplePages.none, [null, null, null, []], limit, 500, 600],
    ['a status', peoplePages.status, [null, null, 'active', []], limit, 500, 600],
    ['a search', peoplePages.q, [null, null, null, [token]], limit, 500, 1000],
    ['a group', peoplePages.group, [group, null, null, []], limit, 500, 1000],
    ['a role', peoplePages.role, [null, 'support', null, []], several, 10_000, 3000],
    ['filters that nobody passes', peoplePages.q, [group, 'owner', 'active', [token]], several, 10_000, 20_000],
  ])(
    '%s is a flat number of buffers, on a late page as on the first',
    async (_, { text }, filters, scanned, i, most) => {
      const early = await database.buffers(text, page(first, filters, scanned));
      expect(early).toBeLessThanOrEqual(most);
      expect(await database.buffers(text, page(late(i), filters, scanned))).toBeLessThanOrEqual(early * 1.5 + 5);
    },
  );
});

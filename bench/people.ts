import { randomBytes } from 'node:crypto';
import type { NatsConnection } from '@nats-io/transport-node';
import type { Pool } from 'pg';
import { invitePerson, type ReplyOf } from '@holdfast/contracts';
import { LargeOrganization, testContext } from '@holdfast/testing';
import { connectAs } from './log-load.ts';
import type { App, Stack } from './stack.ts';

const org = 'bench-people';
/** A name that no other search token has: two letters have one prefix of two letters. */
const name = 'Zq';
/** More than the largest page. Directory can decrypt the data of these only, so they are the newest. */
const invited = 256;
/** So many of their groups are assigned to the app. */
const groups = 10;

export interface SeededPeople {
  seeded: LargeOrganization;
  /** Lists them. */
  reader: Pick<App, 'clientId' | 'clientSecret'>;
  /** They sign in to it. */
  staff: App;
  /** What is after the # of the invitation links of `invited` people. */
  invitations: string[];
  /** Finds the invited people and all others. */
  search: string;
}

/**
 * An organization with `count` people, of whom 256 have been invited and can sign in to an app, since
 * they are in ten groups that are assigned to it.
 */
export async function seedPeople(stack: Stack, pool: Pool, count: number): Promise<SeededPeople> {
  await stack.operator('org', 'create', org);
  const scopes = ['users:read', 'groups:manage', 'entitlements:view'];
  const grants = scopes.flatMap((scope) => ['--grant', scope]);
  const reader = await newApp(stack, ['--name', 'reader', '--kind', 'service', ...grants]);
  const staffArea = ['--name', 'staff', '--kind', 'web', '--audience', 'people'];
  const staff = await newApp(stack, [...staffArea, '--redirect-uri', 'http://localhost:9/callback']);
  const operator = await connectAs(stack, 'operator');
  const invitations: string[] = [];
  while (invitations.length < invited) invitations.push(await invite(operator));
  await operator.close();
  const seeded = new LargeOrganization(org, count, await commonToken(pool));
  await seeded.insert(async (sql) => (await pool.query<Record<string, unknown>>(sql)).rows);
  await pool.query(
    `INSERT INTO directory.group_member (org, group_id, person_id)
     SELECT org, g.id, p.id FROM directory.person p, unnest($2::uuid[]) AS g (id)
     WHERE org = $1 AND status = 'invited'`,
    [org, Array.from({ length: groups }, (_, i) => seeded.id('group', 1 + i))],
  );
  for (let i = 1; i <= groups; i++)
    await stack.operator('assignment', 'add', org, staff.clientId, '--group', seeded.id('group', i));
  const tables = ['person', 'person_search_token', 'person_group', 'group_member', 'assignment', 'app'];
  await pool.query(`VACUUM ANALYZE ${tables.map((table) => `directory.${table}`).join(', ')}`);
  return { seeded, reader, staff, invitations, search: name };
}

async function newApp(stack: Stack, args: string[]): Promise<App> {
  const { app, clientSecret } = (await stack.operator('app', 'create', org, ...args)) as {
    app: App;
    clientSecret: string;
  };
  return { ...app, clientSecret };
}

/** Only people may invite people, so the operator does. @returns what is after the # of the link */
async function invite(operator: NatsConnection): Promise<string> {
  const input = { email: `${randomBytes(8).toString('hex')}@bench.example`, name, roles: [] };
  const context = testContext({ org, actor: { type: 'operator', id: 'operator' } });
  const message = JSON.stringify({ pattern: invitePerson.subject, id: '0', data: { input, context } });
  const reply = await operator.request(invitePerson.subject, message, { timeout: 30_000 });
  const { response, err } = reply.json<{ response?: ReplyOf<typeof invitePerson>; err?: unknown }>();
  if (!response) throw new Error(`a person could not be invited: ${JSON.stringify(err)}`);
  return new URL(response.invitationUrl).hash.slice(1);
}

/** The hash of what all invited people have in common: their name. */
async function commonToken(pool: Pool): Promise<Buffer> {
  const { rows } = await pool.query<{ token: Buffer }>(
    'SELECT token FROM directory.person_search_token WHERE org = $1 GROUP BY token ORDER BY count(*) DESC LIMIT 1',
    [org],
  );
  return rows[0]!.token;
}

import { tokenOf, type Case } from './cases.ts';
import type { SeededPeople } from './people.ts';
import type { Stack } from './stack.ts';
import type { AccessCheckArgs, PeoplePageArgs } from './statements.ts';
import type { HttpJob, SignInJob, SqlJob } from './workers/job.ts';
import { newPerson, signIn, type Subject } from './workers/sign-in-steps.ts';

export const peopleCaseNames = [
  'people',
  'people-search',
  'members',
  'entitlements',
  'person-check',
  'person-sign-in',
] as const;
const limit = 50;
/** The first invitations are those of the worker's people. */
let checked: Subject | undefined;

/** Cases of the large organization: the Admin API's lists, and what each statement about a person costs. */
export async function makePeopleCases(stack: Stack, people: SeededPeople): Promise<Case[]> {
  const { baseUrl: url, databaseUrl } = stack;
  const { seeded, staff, reader, invitations, search } = people;
  const { org } = seeded;
  const scopes = 'users:read groups:manage entitlements:view';
  const bearer = { authorization: `Bearer ${await tokenOf(stack, reader, scopes)}` };
  const get = (path: string, headers: Record<string, string> = bearer): HttpJob => ({
    kind: 'http',
    url,
    requests: [{ method: 'GET', path: `/o/${org}${path}`, headers }],
    expect: 200,
  });
  const sql = (statement: string, args: PeoplePageArgs | AccessCheckArgs): SqlJob => ({
    kind: 'sql',
    url: databaseUrl,
    statement,
    args,
  });
  const everybody = seeded.id('group', seeded.everybody);
  const page: PeoplePageArgs = { org, limit: limit + 1 };
  const job: SignInJob = {
    kind: 'sign-in',
    url,
    org,
    clientId: staff.clientId,
    clientSecret: staff.clientSecret,
    redirectUri: staff.redirectUris[0]!,
    scope: 'openid email profile groups',
    invitations: invitations.slice(0, -1),
  };
  checked ??= await newPerson(job, invitations.at(-1)!);
  const accessToken = await signIn(job, checked);
  const admin = `/api/admin`;
  return [
    {
      name: 'people',
      stack: get(`${admin}/users?limit=${limit}`),
      against: 'bare keyset query',
      baseline: sql('people', page),
    },
    {
      name: 'people-search',
      stack: get(`${admin}/users?limit=${limit}&q=${search}`),
      against: 'bare keyset query of the token, with the person of each row',
      baseline: sql('people-search', { ...page, token: seeded.tokens[0].toString('hex') }),
    },
    {
      name: 'members',
      stack: get(`${admin}/groups/${everybody}/members?limit=${limit}`),
      against: 'bare keyset query',
      baseline: sql('members', { ...page, group: everybody }),
    },
    {
      name: 'entitlements',
      stack: get(`${admin}/entitlements?limit=${limit}`),
      against: 'bare keyset query of assignments, with the members of each group',
      baseline: sql('entitlements', page),
    },
    {
      name: 'person-check',
      stack: get('/userinfo', { authorization: `Bearer ${accessToken}` }),
      against: 'one statement: the person, their groups, whether one is assigned to the app',
      baseline: sql('person-check', { org, person: checked.subject, clientId: staff.clientId }),
    },
    { name: 'person-sign-in', stack: job, against: '-', concurrency: [1, 8] },
  ];
}

import { statement, type Statement } from '@holdfast/data';
import { lastId } from '../groups/newest.js';

/** Which filters a request has: each combination is a statement of its own, because one plan would not suit all. */
export interface PageShape {
  user: boolean;
  app: boolean;
  group: boolean;
}

type Condition = string | false;
const all = (conditions: Condition[]) => conditions.filter(Boolean).join(' AND ');
const activePerson = (id: string) => `(SELECT p.status = 'active' FROM person p WHERE p.org = $1 AND p.id = ${id})`;
// The hub needs no assignment. Sub-selects, not joins: the planner then keeps the order of the index.
const usableApp = `(SELECT x.audience = 'people' AND NOT x.disabled AND NOT x.built_in FROM app x
  WHERE x.org = $1 AND x.client_id = a.client_id)`;
const notExpired = '(a.expires_at IS NULL OR a.expires_at > $2)';
const columns = `a.client_id AS app,
  CASE WHEN a.group_id IS NOT NULL THEN 'group' WHEN a.access_request_id IS NOT NULL THEN 'request' ELSE 'direct' END
    AS path,
  a.id AS assignment, a.group_id AS "group", a.access_request_id AS "accessRequest", a.expires_at AS "expiresAt",
  a.created_at AS at, a.id AS id`;
const order = 'at DESC, id DESC, "user" DESC';
/** The cursor: time and id of an assignment (of a person, for the hub), and the person. */
const after = { at: '$4::timestamptz', id: '$5::uuid', user: '$6::uuid' };
/** Whatever has this time and id, or comes behind: the assignment of the cursor comes again, with further people. */
const behind = (at: string, id: string) => `(${at}, ${id}) <= (${after.at}, ${after.id})`;
const personBehind = (person: string) =>
  `${person} < CASE WHEN a.id = ${after.id} THEN ${after.user} ELSE '${lastId}'::uuid END`;

/**
 * The paths by which people can use apps now (may-use.ts), as one statement. The order is that of assignments, newest
 * first, and within one by person. So each page reads only the assignments that it shows, of each group only the
 * members that it shows, and the active people of the hub: how far back a page lies does not matter.
 */
export function entitlementPage(shape: PageShape): Statement {
  let parameters = 6;
  const parameter = () => `$${(parameters += 1)}`;
  const user = shape.user && parameter();
  const app = shape.app && parameter();
  const group = shape.group && parameter();
  const counted = [behind('a.created_at', 'a.id'), notExpired, usableApp];
  const parts = user
    ? [!group && ofPerson(user, app, counted), ofPersonsGroups(user, app, group, counted)]
    : [ofEverybody([app && `a.client_id = ${app}`, group && `a.group_id = ${group}`, ...counted])];
  if (!group) parts.push(ofHub(user, app));
  const union = parts
    .filter((part) => part !== false)
    .map((part) => `(${part})`)
    .join('\nUNION ALL\n');
  const name = Object.entries(shape).flatMap(([member, present]) => (present ? [member] : []));
  return statement(['entitlements', ...name].join('_'), `SELECT * FROM (${union}) e ORDER BY ${order} LIMIT $3`);
}

function ofEverybody(assignments: Condition[]): string {
  const member = ['m.org = $1', 'm.group_id = a.group_id', activePerson('m.person_id'), personBehind('m.person_id')];
  return `SELECT e.person AS "user", e.since, ${columns} FROM assignment a, LATERAL (
      (SELECT a.person_id AS person, a.created_at AS since
       WHERE a.person_id IS NOT NULL AND ${activePerson('a.person_id')} AND ${personBehind('a.person_id')})
      UNION ALL
      (SELECT m.person_id, greatest(a.created_at, m.added_at) FROM group_member m WHERE ${all(member)}
       ORDER BY m.person_id DESC LIMIT $3)) e
    WHERE ${all(['a.org = $1', ...assignments])}
    ORDER BY a.created_at DESC, a.id DESC, e.person DESC LIMIT $3`;
}

/** OFFSET 0: the few assignments of one person or group are found by these members and then filtered. */
function few(...members: Condition[]): string {
  return `(SELECT * FROM assignment WHERE ${all(['org = $1', ...members])} OFFSET 0) a`;
}

function ofPerson(user: string, app: Condition, counted: Condition[]): string {
  return `SELECT a.person_id AS "user", a.created_at AS since, ${columns}
    FROM ${few(`person_id = ${user}`, app && `client_id = ${app}`)}
    WHERE ${all([...counted, personBehind('a.person_id'), activePerson(user)])}
    ORDER BY a.created_at DESC, a.id DESC LIMIT $3`;
}

function ofPersonsGroups(user: string, app: Condition, group: Condition, counted: Condition[]): string {
  const membership = ['org = $1', `person_id = ${user}`, group && `group_id = ${group}`, activePerson(user)];
  const assignments = app
    ? `SELECT * FROM ${few('group_id = m.group_id', `client_id = ${app}`)}
       WHERE ${all([...counted, personBehind(user)])}`
    : `SELECT * FROM assignment a
       WHERE ${all(['a.org = $1', 'a.group_id = m.group_id', ...counted, personBehind(user)])}
       ORDER BY a.created_at DESC, a.id DESC LIMIT $3`;
  return `SELECT m.person_id AS "user", greatest(a.created_at, m.added_at) AS since, ${columns}
    FROM (SELECT person_id, group_id, added_at FROM group_member WHERE ${all(membership)} OFFSET 0) m,
    LATERAL (${assignments}) a
    ORDER BY a.created_at DESC, a.id DESC LIMIT $3`;
}

/** To the hub every active person is assigned; the row stands where the person was created. */
function ofHub(user: Condition, app: Condition): string {
  const next = [
    `status = 'active'`,
    behind('created_at', 'id'),
    `(created_at, id, id) < (${after.at}, ${after.id}, ${after.user})`,
  ];
  const people = user
    ? `SELECT id, created_at FROM (SELECT * FROM person WHERE org = $1 AND id = ${user} OFFSET 0) p WHERE ${all(next)}`
    : `SELECT id, created_at FROM person WHERE org = $1 AND ${all(next)} ORDER BY created_at DESC, id DESC LIMIT $3`;
  const hub = ['org = $1', 'built_in', 'NOT disabled', `audience = 'people'`, app && `client_id = ${app}`];
  return `SELECT p.id AS "user", p.created_at AS since, h.client_id AS app, 'role' AS path, NULL::uuid AS assignment,
      NULL::uuid AS "group", NULL::uuid AS "accessRequest", NULL::timestamptz AS "expiresAt",
      p.created_at AS at, p.id AS id
    FROM (SELECT client_id FROM app WHERE ${all(hub)} OFFSET 0) h, LATERAL (${people}) p
    ORDER BY p.created_at DESC, p.id DESC LIMIT $3`;
}

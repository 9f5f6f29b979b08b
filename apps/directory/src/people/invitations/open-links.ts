import type { Role } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import type { Person } from '../person.js';
import { refusalToIssueLink } from '../role-rules.js';

const close = statement(
  'invitation_close',
  `UPDATE invitation SET status = $3 WHERE org = $1 AND person_id = $2 AND status = 'open' RETURNING 1`,
);
const issued = statement(
  'invitation_issued_by',
  `SELECT i.id, i.person_id AS person, p.roles FROM invitation i JOIN person p ON p.id = i.person_id
   WHERE i.org = $1 AND i.issued_by = $2 AND i.status = 'open'`,
);
const withdraw = statement('invitation_withdraw', `UPDATE invitation SET status = 'withdrawn' WHERE id = ANY ($1)`);

/** Ends the open link of a person. Returns 1, or 0 when there is none. */
export async function closeLink(
  sql: Sql,
  person: Person,
  status: 'superseded' | 'withdrawn' | 'accepted',
): Promise<number> {
  const { length } = await sql.rows(close, [person.org, person.id, status]);
  delete person.invitation;
  return length;
}

/**
 * Withdraws the open links that this person has issued and could not issue with these roles (ADR 0074); all of them
 * without roles. The organization is locked, so that no link is issued or accepted meanwhile. Returns their number.
 */
export async function withdrawIssuedLinks(sql: Sql, { org, id }: Person, roles: readonly Role[]): Promise<number> {
  const open = await sql.rows<{ id: string; person: string; roles: Role[] }>(issued, [org, id]);
  const ended = open.filter((link) => refusalToIssueLink({ id, roles }, { id: link.person, roles: link.roles }));
  if (ended.length > 0) await sql.rows(withdraw, [ended.map((link) => link.id)]);
  return ended.length;
}

import { statement, type Sql } from '@holdfast/data';

const assigned = statement(
  'person_assigned',
  `SELECT EXISTS (
     SELECT FROM assignment WHERE org = $1 AND person_id = $2 AND client_id = $3
       AND (expires_at IS NULL OR expires_at > $4))
   OR EXISTS (
     SELECT FROM group_member m JOIN assignment a ON a.org = m.org AND a.group_id = m.group_id
     WHERE m.org = $1 AND m.person_id = $2 AND a.client_id = $3
       AND (a.expires_at IS NULL OR a.expires_at > $4)) AS assigned`,
);

/** Whether the person may sign in to the app, directly or through a group. */
export async function isAssigned(
  sql: Sql,
  { org, person, clientId }: { org: string; person: string; clientId: string },
  now: Date,
): Promise<boolean> {
  const [row] = await sql.rows<{ assigned: boolean }>(assigned, [org, person, clientId, now]);
  return row!.assigned;
}

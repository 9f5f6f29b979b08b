import type { RequestContext, ValidationIssue } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { AppError, unprocessable } from '@holdfast/platform';
import { isOfOneScript, skeletonOf } from './skeleton.js';

interface Named {
  org: string;
  clientId: string;
  name: string;
  displayName: string | null;
}

/** Names of the organization, and of its apps but those that are this program's. */
const others = statement(
  'app_names',
  `SELECT unnest(ARRAY[a.name, a.display_name]) AS name FROM app a
   WHERE a.org = $1 AND a.client_id <> $2 AND a.deleted_at IS NULL
     AND (a.created_by IS DISTINCT FROM $3 OR a.taken_over)
   UNION ALL SELECT name FROM organization WHERE short_id = $1`,
);
const product = skeletonOf('Holdfast');

/**
 * A program names its app so that people do not take it for another one, for the organization or for Holdfast: they
 * grant scopes to a name, and sign in to it. What people name is theirs to decide. The organization is locked, so that
 * no other name appears meanwhile. @throws conflict, invalid_request
 */
export async function requireOwnName(sql: Sql, { actor, org }: RequestContext, app: Named): Promise<void> {
  if (actor.type !== 'app') return;
  const given = { name: app.name, ...(app.displayName !== null && { displayName: app.displayName }) };
  const issues = Object.entries(given).flatMap(([member, name]) => issueOf(`#/${member}`, name) ?? []);
  if (issues.length > 0) throw unprocessable(issues);
  const taken = await sql.rows<{ name: string | null }>(others, [org, app.clientId, actor.id]);
  for (const name of Object.values(given)) {
    const skeleton = skeletonOf(name);
    const similar = taken.find((other) => other.name !== null && skeletonOf(other.name) === skeleton);
    if (similar)
      throw new AppError('conflict', `The name "${name}" looks like "${similar.name}", which exists; choose another.`);
  }
}

function issueOf(pointer: string, name: string): ValidationIssue | undefined {
  const skeleton = skeletonOf(name);
  if (skeleton === '') return { pointer, detail: 'must have a letter or digit' };
  if (!isOfOneScript(name)) return { pointer, detail: 'must have letters of one script, when a program chooses it' };
  if (skeleton.includes(product))
    return { pointer, detail: 'must not look as if the app were part of Holdfast, when a program chooses it' };
  return undefined;
}

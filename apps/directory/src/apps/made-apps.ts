import type { AppKind, AppRight, AuditRecord, RequestContext } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';
import { scopesOf, type AppEntity } from './app.entity.js';

/** Apps that have changed because the app that made them lost its right; for the events and the record of the loss. */
export interface EndedApps {
  apps: { clientId: string; version: number }[];
  changes: NonNullable<AuditRecord['changes']>;
}

const holdManager = statement(
  'app_manager_hold',
  'SELECT 1 FROM app WHERE client_id = $1 AND org = $2 AND NOT disabled FOR SHARE',
);
// A statement of its own after the lock: one that waited would still see a grant that was removed meanwhile.
const managerGrant = statement('app_manager_grant', 'SELECT 1 FROM app_grant WHERE client_id = $1 AND operation = $2');
const revokeKnown = statement(
  'app_secrets_end_made',
  `UPDATE app_secret s SET revoked_at = clock_timestamp() FROM app a
    WHERE s.created_by = $1 AND s.revoked_at IS NULL AND a.client_id = s.client_id AND a.kind = ANY ($2)
   RETURNING s.client_id AS "clientId"`,
);
const endApps = statement(
  'app_end_made',
  `UPDATE app SET version = version + 1,
     disabled = disabled OR (created_by = $1 AND NOT taken_over),
     min_version = CASE WHEN created_by = $1 AND NOT taken_over AND NOT disabled THEN version + 1 ELSE min_version END
   WHERE org = $3 AND deleted_at IS NULL AND kind = ANY ($4)
     AND (client_id = ANY ($2) OR created_by = $1 AND NOT taken_over AND NOT disabled)
   RETURNING client_id AS "clientId", version, min_version = version AS "wasEnabled"`,
);

/** The kinds of apps that a program makes by each right. */
const kindsMadeBy: Record<AppRight, readonly AppKind[]> = {
  'apps:manage': ['web', 'spa', 'native'],
  'ssf:manage': ['receiver'],
};

/** By which rights the app may make others. */
export function rightsToMake(app: Pick<AppEntity, 'disabled' | 'grants'>): AppRight[] {
  const rights = Object.keys(kindsMadeBy) as AppRight[];
  return app.disabled ? [] : rights.filter((right) => scopesOf(app).includes(right));
}

/**
 * A program that makes or changes an app holds the right now, and not only when it got its token: what it made
 * afterwards would outlive the right. The lock makes a change of its rights wait, and everybody takes it before that of
 * the app with this client ID, if there is one. @throws app_protected
 */
export async function requireManager(
  sql: Sql,
  { actor, org }: RequestContext,
  right: AppRight,
  clientId?: string,
): Promise<void> {
  // Its own app it may not change anyway; two requests that both held this lock of it would wait for each other.
  if (actor.type !== 'app' || actor.id === clientId) return;
  const held = await sql.rows(holdManager, [actor.id, org]);
  if (held.length === 0 || (await sql.rows(managerGrant, [actor.id, right])).length === 0)
    throw new AppError('app_protected', 'The program may not manage apps any more.');
}

/**
 * Ends what a program has prepared when it loses a right to make apps (ADR 0074): apps that it made and that nobody
 * has taken over are disabled, since their sign-ins lead where the program said; client secrets that it knows are
 * revoked. A person enables such an app, and takes it over by that. The program is locked.
 */
export async function endMade(
  sql: Sql,
  { clientId, org }: Pick<AppEntity, 'clientId' | 'org'>,
  lost: readonly AppRight[],
): Promise<EndedApps> {
  if (lost.length === 0) return { apps: [], changes: {} };
  const kinds = lost.flatMap((right) => kindsMadeBy[right]);
  const revoked = await sql.rows<{ clientId: string }>(revokeKnown, [clientId, kinds]);
  const withSecrets = [...new Set(revoked.map((secret) => secret.clientId))];
  const apps = await sql.rows<EndedApps['apps'][0] & { wasEnabled: boolean }>(endApps, [
    clientId,
    withSecrets,
    org,
    kinds,
  ]);
  const disabled = apps.filter(({ wasEnabled }) => wasEnabled).length;
  return {
    apps,
    changes: {
      ...(disabled > 0 && { appsDisabled: { to: disabled } }),
      ...(revoked.length > 0 && { secretsRevoked: { to: revoked.length } }),
    },
  };
}

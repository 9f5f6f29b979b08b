import type { App, AppKind, Operation } from '@holdfast/contracts';
import { statement, violatedUnique, type Sql } from '@holdfast/data';
import { AppError } from '@holdfast/platform';

export interface AppRow {
  client_id: string;
  org: string;
  name: string;
  display_name: string | null;
  kind: AppKind;
  audience: App['audience'];
  credential_type: string | null;
  redirect_uris: string[];
  post_logout_redirect_uris: string[];
  origins: string[];
  backchannel_logout_uri: string | null;
  refresh_tokens: boolean;
  pkce: App['pkce'];
  id_token_alg: App['idTokenAlg'] | null;
  scopes: Operation[];
  disabled: boolean;
  api_version: string;
  version: number;
  created_at: Date;
}

export const appColumns = `a.client_id, a.org, a.name, a.display_name, a.kind, a.audience, a.credential_type, a.redirect_uris, a.post_logout_redirect_uris,
  a.origins, a.backchannel_logout_uri, a.refresh_tokens, a.pkce, a.id_token_alg, a.disabled,
  a.api_version::text, a.version, a.created_at,
  ARRAY(SELECT g.operation FROM app_grant g WHERE g.client_id = a.client_id ORDER BY g.operation) AS scopes`;

const byId = statement('app_by_id', `SELECT ${appColumns} FROM app a WHERE a.client_id = $1`);
const lock = statement('app_lock', 'SELECT 1 FROM app WHERE client_id = $1 FOR UPDATE');
const bump = statement(
  'app_bump',
  `UPDATE app SET version = version + 1, min_version = CASE WHEN $2 THEN version + 1 ELSE min_version END WHERE client_id = $1`,
);

export function toApp(row: AppRow): App {
  return {
    clientId: row.client_id,
    org: row.org,
    name: row.name,
    ...(row.display_name !== null && { displayName: row.display_name }),
    kind: row.kind,
    audience: row.audience,
    ...(row.credential_type && { credentialType: row.credential_type }),
    redirectUris: row.redirect_uris,
    postLogoutRedirectUris: row.post_logout_redirect_uris,
    origins: row.origins,
    ...(row.backchannel_logout_uri !== null && { backchannelLogoutUri: row.backchannel_logout_uri }),
    refreshTokens: row.refresh_tokens,
    pkce: row.pkce,
    ...(row.id_token_alg && { idTokenAlg: row.id_token_alg }),
    scopes: row.scopes,
    disabled: row.disabled,
    apiVersion: row.api_version,
    version: row.version,
    createdAt: row.created_at.toISOString(),
  };
}

/** @throws unknown_app */
export async function findApp(sql: Sql, clientId: string): Promise<App> {
  const [row] = await sql.rows<AppRow>(byId, [clientId]);
  if (!row) throw new AppError('unknown_app', `There is no app "${clientId}".`);
  return toApp(row);
}

/** Locks the app before reading it, so that two changes of one app follow each other. @throws unknown_app */
export async function lockApp(sql: Sql, clientId: string): Promise<App> {
  await sql.rows(lock, [clientId]);
  return findApp(sql, clientId);
}

/** A new version of a locked app. `shrunk` says that its rights have: every token made before is then refused. */
export async function bumpApp(sql: Sql, clientId: string, { shrunk = false } = {}): Promise<App> {
  await sql.rows(bump, [clientId, shrunk]);
  return findApp(sql, clientId);
}

/** The name of another app of the organization, or an unknown fault as it is. */
export function nameTaken(error: unknown, org: string, name: string): unknown {
  return violatedUnique(error) === 'app_name'
    ? new AppError('conflict', `${org} has an app "${name}" already; choose another name.`)
    : error;
}

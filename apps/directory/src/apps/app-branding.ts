import { logoPathOf } from '@holdfast/contracts';
import { statement, type Sql } from '@holdfast/data';
import type { Logo } from '../branding/logo.js';
import type { AppEntity } from './app.entity.js';

interface WithLogo {
  /** Null removes it. */
  logo?: Logo | null;
}

const upsert = statement(
  'app_logo_upsert',
  `INSERT INTO app_logo (client_id, org, id, png) VALUES ($1, $2, $3, $4)
   ON CONFLICT (client_id) DO UPDATE SET id = excluded.id, png = excluded.png`,
);
const remove = statement('app_logo_delete', 'DELETE FROM app_logo WHERE client_id = $1');

/** Settings that a request gives, as columns of the app: the logo by its id. */
export function columnsOf<Given extends WithLogo>({ logo, ...settings }: Given) {
  return { ...settings, ...(logo !== undefined && { logoId: logo?.id ?? null }) };
}

/** The same for the audit record: the logo by its path, without the picture. */
export function recordedOf<Given extends WithLogo>({ logo, ...settings }: Given, org: string) {
  return { ...settings, ...(logo !== undefined && { logoPath: logo && logoPathOf(org, logo.id) }) };
}

/** Stores the logo of a stored app in place of the one that it had. Without a logo, deletes that one. */
export async function storeLogo(
  sql: Sql,
  { clientId, org }: Pick<AppEntity, 'clientId' | 'org'>,
  logo: Logo | null | undefined,
): Promise<void> {
  if (logo) await sql.rows(upsert, [clientId, org, logo.id, logo.png]);
  else if (logo === null) await sql.rows(remove, [clientId]);
}

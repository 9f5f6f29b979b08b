import { statement, type Sql } from '@holdfast/data';
import type { Logo } from '../branding/logo.js';
import { brandingIn, type OrganizationEntity } from './organization.entity.js';
import type { OrganizationChange } from './organizations.js';

const insertLogo = statement(
  'logo_insert',
  'INSERT INTO logo (org, id, png) VALUES ($1, $2, $3) ON CONFLICT (org, id) DO NOTHING',
);
const deleteOthers = statement('logo_delete_others', 'DELETE FROM logo WHERE org = $1 AND id IS DISTINCT FROM $2');

interface BrandingChange {
  name?: string | undefined;
  startUrl?: string | null | undefined;
  helpUrl?: string | null | undefined;
  accentColor?: string | null;
  logo?: Logo | null;
}

/** Changes the given members of a locked organization, and stores the logo; one that it had is deleted. */
export async function changeBranding(
  organization: OrganizationEntity,
  { logo, ...given }: BrandingChange,
  sql: Sql,
): Promise<OrganizationChange> {
  const from = shownOf(organization);
  Object.assign(organization, given, logo !== undefined && { logoId: logo?.id ?? null });
  if (logo) await sql.rows(insertLogo, [organization.shortId, logo.id, logo.png]);
  if (logo !== undefined) await sql.rows(deleteOthers, [organization.shortId, organization.logoId]);
  const to = shownOf(organization);
  const changed = [...new Set([...Object.keys(from), ...Object.keys(to)])].filter((name) => from[name] !== to[name]);
  return {
    action: 'organization.update',
    changes: Object.fromEntries(
      changed.map((member) => [member, { from: from[member] ?? null, to: to[member] ?? null }]),
    ),
  };
}

function shownOf(organization: OrganizationEntity): Record<string, string | undefined> {
  return { name: organization.name, ...brandingIn(organization) };
}

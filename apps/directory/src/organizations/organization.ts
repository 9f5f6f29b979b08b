import type { Organization } from '@holdfast/contracts';

export interface OrganizationRow {
  short_id: string;
  name: string;
  suspended: boolean;
  version: number;
  created_at: Date;
}

export const organizationColumns = 'short_id, name, suspended, version, created_at';

export function toOrganization({ short_id, name, suspended, created_at }: OrganizationRow): Organization {
  return { shortId: short_id, name, suspended, createdAt: created_at.toISOString() };
}

import type { Organization } from '@holdfast/contracts';
import { relyingPartyIn, type RpIds } from './rp-ids.js';

export interface OrganizationRow extends RpIds {
  short_id: string;
  name: string;
  suspended: boolean;
  version: number;
  created_at: Date;
}

export const organizationColumns = 'short_id, name, suspended, version, created_at, rp_id, moving, earlier_rp_id';

export function toOrganization(row: OrganizationRow): Organization {
  const { short_id, name, suspended, created_at } = row;
  return { shortId: short_id, name, suspended, createdAt: created_at.toISOString(), ...relyingPartyIn(row) };
}

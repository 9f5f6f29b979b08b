import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';
import {
  logoPathOf,
  mainShard,
  type AppRateLimits,
  type Branding,
  type Organization,
  type OwnOrganization,
} from '@holdfast/contracts';
import { relyingPartyIn, type RpIds } from './rp-ids.js';

@Entity('organization')
export class OrganizationEntity implements RpIds {
  @PrimaryColumn('text', { name: 'short_id' })
  shortId!: string;

  @Column('text')
  name!: string;

  @Column('boolean', { default: false })
  suspended!: boolean;

  @Column('text', { name: 'rp_id', nullable: true })
  rpId!: string | null;

  @Column('boolean', { default: false })
  moving!: boolean;

  @Column('text', { name: 'earlier_rp_id', nullable: true })
  earlierRpId!: string | null;

  @Column('text', { name: 'start_url', nullable: true })
  startUrl!: string | null;

  @Column('text', { name: 'help_url', nullable: true })
  helpUrl!: string | null;

  /** `#rrggbb`, in small letters. */
  @Column('text', { name: 'accent_color', nullable: true })
  accentColor!: string | null;

  @Column('text', { name: 'logo_id', nullable: true })
  logoId!: string | null;

  /** Quotas of its apps; null: those of the deployment. */
  @Column('jsonb', { name: 'rate_limits', nullable: true })
  rateLimits!: AppRateLimits | null;

  @Column('text', { default: mainShard })
  shard!: string;

  /** The move to another shard that is in progress. Its events wait until it ends (organization-moves.ts). */
  @Column('uuid', { name: 'move_id', nullable: true })
  moveId!: string | null;

  @Column('text', { name: 'move_to', nullable: true })
  moveTo!: string | null;

  /** When it may be deleted; null: nobody has decided that. */
  @Column({ type: 'timestamptz', name: 'deletes_at', precision: 3, nullable: true })
  deletesAt!: Date | null;

  /** Whether the deletion of its rows has begun, so that it can never be resumed. */
  @Column('boolean', { default: false })
  deleting!: boolean;

  /** Grows with each change: consumers ignore events with an older version than the one that they have. */
  @Column('int', { default: 1 })
  version!: number;

  @CreateDateColumn({ name: 'created_at', type: 'timestamptz', precision: 3 })
  createdAt!: Date;
}

export type BrandingColumns = Pick<OrganizationEntity, 'shortId' | 'startUrl' | 'helpUrl' | 'accentColor' | 'logoId'>;

/** What pages show of an organization besides its name, as the contracts return it. */
export function brandingIn({ shortId, startUrl, helpUrl, accentColor, logoId }: BrandingColumns): Branding {
  return {
    ...(startUrl !== null && { startUrl }),
    ...(helpUrl !== null && { helpUrl }),
    ...(accentColor !== null && { accentColor }),
    ...(logoId !== null && { logoPath: logoPathOf(shortId, logoId) }),
  };
}

/** The organization as its own people see it, without what the operator decides. */
export function toOwnOrganization(organization: Organization & { version: number }): OwnOrganization {
  const { shortId, name, startUrl, helpUrl, accentColor, logoPath, version } = organization;
  return {
    shortId,
    name,
    ...(startUrl !== undefined && { startUrl }),
    ...(helpUrl !== undefined && { helpUrl }),
    ...(accentColor !== undefined && { accentColor }),
    ...(logoPath !== undefined && { logoPath }),
    version,
  };
}

export function toOrganization(entity: OrganizationEntity): Organization {
  const { shortId, name, suspended, createdAt, shard, rateLimits, deletesAt, deleting } = entity;
  return {
    shortId,
    name,
    suspended,
    createdAt: createdAt.toISOString(),
    shard,
    ...relyingPartyIn(entity),
    ...brandingIn(entity),
    ...(rateLimits !== null && { rateLimits }),
    ...(deletesAt !== null && { deletesAt: deletesAt.toISOString() }),
    deleting,
  };
}

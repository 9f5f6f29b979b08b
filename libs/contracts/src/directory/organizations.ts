import { z } from 'zod';
import { appRateLimitsPatchSchema, appRateLimitsSchema } from '../app-rate-limits.js';
import { shortId } from '../context.js';
import { command, query } from '../contract.js';
import { instant, name } from '../fields.js';
import { mainShard, shardName } from '../shards.js';
import { brandingChanges, brandingFields } from './branding.js';
import { relyingPartySchema, rpId } from './rp-id.js';

/** What pages show of an organization. */
export const shownOrganizationSchema = z.strictObject({ name: name.describe('For people'), ...brandingFields });
export type ShownOrganization = z.infer<typeof shownOrganizationSchema>;

export const organizationSchema = z.strictObject({
  shortId,
  name,
  suspended: z.boolean(),
  createdAt: instant,
  relyingParty: relyingPartySchema.optional().describe('RP IDs of its passkeys; that of the deployment when absent'),
  ...brandingFields,
  rateLimits: appRateLimitsSchema.optional().describe('Of each of its apps without one of its own'),
  shard: shardName.default(mainShard).describe('Where its customers, credentials, audit log and event feed are'),
  deletesAt: instant.optional().describe('When it may be deleted; absent unless that was decided'),
  deleting: z.boolean().default(false).describe('Whether the deletion of its rows has begun'),
});
export type Organization = z.infer<typeof organizationSchema>;

export const createOrganization = command({
  service: 'directory',
  name: 'create-organization',
  callers: ['operator'],
  request: z.strictObject({
    shortId,
    name,
    rpId: rpId.optional(),
    shard: shardName.optional().describe('`main` when absent'),
  }),
  reply: organizationSchema,
  errors: ['conflict', 'invalid_request'],
});
/**
 * Changes the RP ID, ends the move from the earlier one, or changes what pages show. Passkeys keep the RP ID that they
 * were created for, so those of the earlier one are accepted until the move is ended (docs/rp-id.md).
 */
export const updateOrganization = command({
  service: 'directory',
  name: 'update-organization',
  callers: ['operator'],
  request: z.strictObject({
    shortId,
    rpId: rpId.nullable().optional().describe('Null: that of the deployment'),
    keepEarlier: z
      .boolean()
      .default(true)
      .describe('Whether passkeys of the previous RP ID sign in until the move is ended'),
    endMove: z.boolean().default(false).describe('Passkeys of the earlier RP ID no longer sign in'),
    name: name.optional(),
    ...brandingChanges,
  }),
  reply: organizationSchema,
  errors: ['unknown_organization', 'invalid_state', 'invalid_request'],
});
export const listOrganizations = query({
  service: 'directory',
  name: 'list-organizations',
  callers: ['operator'],
  request: z.strictObject({}),
  reply: z.strictObject({ items: z.array(organizationSchema) }),
});
/** Public data of an organization; `unknown_organization` also while it is suspended. */
export const organizationProfile = query({
  service: 'directory',
  name: 'organization-profile',
  callers: ['gateway', 'auth'],
  request: z.strictObject({ shortId }),
  reply: z.strictObject({ shortId, name, relyingParty: relyingPartySchema.optional(), ...brandingFields }),
  errors: ['unknown_organization'],
});
/** A logo of the organization; `not_found` also while it is suspended. */
export const organizationLogo = query({
  service: 'directory',
  name: 'organization-logo',
  callers: ['gateway'],
  request: z.strictObject({ shortId, logoId: z.string().max(64) }),
  reply: z.strictObject({ png: z.base64() }),
  errors: ['not_found'],
});
/**
 * Origins that may read responses of an organization's issuer (CORS); none for an unknown organization.
 */
export const organizationOrigins = query({
  service: 'directory',
  name: 'organization-origins',
  callers: ['auth'],
  request: z.strictObject({ shortId }),
  reply: z.strictObject({ origins: z.array(z.string()) }),
});
/** Resuming an organization cancels its deletion; `conflict` once that has begun. */
export const suspendOrganization = command({
  service: 'directory',
  name: 'suspend-organization',
  callers: ['operator'],
  request: z.strictObject({ shortId, suspended: z.boolean() }),
  reply: organizationSchema,
  errors: ['unknown_organization', 'conflict'],
});
/** Quotas of each app of an organization. In force for an app with its next access token. */
export const limitOrganization = command({
  service: 'directory',
  name: 'limit-organization',
  callers: ['operator'],
  request: z.strictObject({ shortId, rateLimits: appRateLimitsPatchSchema }),
  reply: organizationSchema,
  errors: ['unknown_organization'],
});

/**
 * Which of these organizations exist. `gateway`: a denied caller can put any name into the path, and only existing
 * organizations have a log. `issuance`: an operator may mistype one. `auth`: denied requests at a suspended
 * organization are recorded in its log.
 */
export const knownOrganizations = query({
  service: 'directory',
  name: 'known-organizations',
  callers: ['gateway', 'auth', 'issuance'],
  request: z.strictObject({ shortIds: z.array(z.string()).max(10_000) }),
  reply: z.strictObject({ known: z.array(z.string()) }),
});

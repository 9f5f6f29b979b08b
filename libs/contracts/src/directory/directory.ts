import { z } from 'zod';
import { appRateLimitsSchema } from '../app-rate-limits.js';
import { shortId } from '../context.js';
import { command, query } from '../contract.js';
import { credentialTypeName, instant, uuid } from '../fields.js';
import { appKinds, operationNames } from '../operations.js';
import { mainShard, shardName } from '../shards.js';
import { appKeyFields, newAppKeyFields } from './app-keys.js';
import { backchannelLogoutUri, redirectUri, webOrigin } from './app-uris.js';
import { relyingPartySchema, rpId } from './rp-id.js';

/** The API version of new apps (product: versioning). */
export const currentApiVersion = '2026-11-01';

const name = z.string().trim().min(1).max(100);

export const organizationSchema = z.strictObject({
  shortId,
  name,
  suspended: z.boolean(),
  createdAt: instant,
  relyingParty: relyingPartySchema.optional().describe('RP IDs of its passkeys; that of the deployment when absent'),
  rateLimits: appRateLimitsSchema.optional().describe('Of each of its apps without one of its own'),
  shard: shardName.default(mainShard).describe('Where its customers, credentials, audit log and event feed are'),
});
export type Organization = z.infer<typeof organizationSchema>;

export const appSchema = z.strictObject({
  clientId: z.string(),
  org: shortId,
  name,
  displayName: name.optional().describe('What customers read on the sign-in page; the name when absent'),
  kind: z.enum(appKinds),
  audience: z.enum(['customers', 'people']),
  credentialType: credentialTypeName
    .optional()
    .describe("Type of the credential with which customers sign in; the organization's default type when absent"),
  redirectUris: z.array(z.string()),
  postLogoutRedirectUris: z.array(z.string()).describe('Where a sign-out may lead back to'),
  origins: z
    .array(z.string())
    .describe('Web origins whose pages may request a presence challenge, besides those of the redirect URIs'),
  backchannelLogoutUri: z
    .string()
    .optional()
    .describe(
      'Receives logout tokens when a session ends or a customer is erased (OpenID Connect Back-Channel Logout)',
    ),
  refreshTokens: z.boolean().describe('Whether it may keep a customer signed in by refresh tokens'),
  pkce: z
    .enum(['required', 'optional'])
    .describe('RFC 7636; `optional` only for web apps, which must then send a nonce'),
  idTokenAlg: z.enum(['RS256', 'ES256']).optional().describe('Signature algorithm of its ID tokens; RS256 when absent'),
  ...appKeyFields,
  scopes: z.array(z.enum(operationNames)),
  rateLimits: appRateLimitsSchema.optional().describe('Set for this app alone'),
  disabled: z.boolean(),
  apiVersion: z.iso.date().describe('API version that the app pinned'),
  version: z.int(),
  createdAt: instant,
});
export type App = z.infer<typeof appSchema>;

export const secretSchema = z.strictObject({ id: z.string(), createdAt: instant });
const newSecret = {
  secretId: z.string().optional(),
  clientSecret: z.string().optional().describe('Shown only once; absent for public clients'),
};
const clientId = z.string().max(64);
/** Any string passes the schema: the handler rejects an operation that no program may hold, with a message. */
const requestedOperations = z.array(z.string().max(64)).min(1).max(50);

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
 * Changes the RP ID, or ends the move from the earlier one. Passkeys keep the RP ID that they were created for, so
 * those of the earlier one are accepted until the move is ended (docs/rp-id.md).
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
  reply: z.strictObject({ shortId, name, relyingParty: relyingPartySchema.optional() }),
  errors: ['unknown_organization'],
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
export const suspendOrganization = command({
  service: 'directory',
  name: 'suspend-organization',
  callers: ['operator'],
  request: z.strictObject({ shortId, suspended: z.boolean() }),
  reply: organizationSchema,
  errors: ['unknown_organization'],
});
export const createApp = command({
  service: 'directory',
  name: 'create-app',
  callers: ['operator'],
  request: z.strictObject({
    org: shortId,
    name,
    displayName: name.optional(),
    kind: z.enum(appKinds),
    audience: z.enum(['customers', 'people']).default('customers'),
    credentialType: credentialTypeName.optional(),
    redirectUris: z.array(redirectUri).max(20).default([]),
    postLogoutRedirectUris: z.array(redirectUri).max(20).default([]),
    origins: z.array(webOrigin).max(20).default([]),
    backchannelLogoutUri: backchannelLogoutUri.optional(),
    refreshTokens: z.boolean().default(true),
    pkce: z.enum(['required', 'optional']).default('required'),
    idTokenAlg: z.enum(['RS256', 'ES256']).optional(),
    ...newAppKeyFields,
    scopes: z.array(z.string().max(64)).max(50).default([]),
  }),
  reply: z.strictObject({ app: appSchema, ...newSecret }),
  errors: ['unknown_organization', 'not_grantable', 'conflict', 'limit_reached', 'invalid_request'],
});
/** Changes only the given members. A list replaces the previous one. */
export const updateApp = command({
  service: 'directory',
  name: 'update-app',
  callers: ['operator'],
  request: z.strictObject({
    clientId,
    name: name.optional(),
    displayName: name.nullable().optional().describe('Null removes it'),
    credentialType: credentialTypeName.optional(),
    redirectUris: z.array(redirectUri).max(20).optional(),
    postLogoutRedirectUris: z.array(redirectUri).max(20).optional(),
    origins: z.array(webOrigin).max(20).optional(),
    backchannelLogoutUri: backchannelLogoutUri.nullable().optional().describe('Null removes it'),
    refreshTokens: z.boolean().optional(),
    pkce: z.enum(['required', 'optional']).optional(),
    idTokenAlg: z.enum(['RS256', 'ES256']).optional(),
    ...newAppKeyFields,
  }),
  reply: appSchema,
  errors: ['unknown_app', 'conflict', 'invalid_request'],
});
export const listApps = query({
  service: 'directory',
  name: 'list-apps',
  callers: ['operator'],
  request: z.strictObject({ org: shortId }),
  reply: z.strictObject({ items: z.array(appSchema) }),
  errors: ['unknown_organization'],
});
/** `issuance` reads the redirect URIs of an app that sent a `returnUrl`. */
export const getApp = query({
  service: 'directory',
  name: 'get-app',
  callers: ['operator', 'issuance'],
  request: z.strictObject({ clientId }),
  reply: appSchema,
  errors: ['unknown_app'],
});
export const disableApp = command({
  service: 'directory',
  name: 'disable-app',
  callers: ['operator'],
  request: z.strictObject({ clientId, disabled: z.boolean() }),
  reply: appSchema,
  errors: ['unknown_app'],
});
/** For good. Its assignments and pending access requests end within seconds. */
export const deleteApp = command({
  service: 'directory',
  name: 'delete-app',
  callers: ['operator'],
  request: z.strictObject({ clientId }),
  reply: z.strictObject({}),
  errors: ['unknown_app', 'app_protected'],
});
export const grantOperations = command({
  service: 'directory',
  name: 'grant-operations',
  callers: ['operator'],
  request: z.strictObject({ clientId, operations: requestedOperations }),
  reply: appSchema,
  errors: ['unknown_app', 'not_grantable', 'invalid_state'],
});
export const ungrantOperations = command({
  service: 'directory',
  name: 'ungrant-operations',
  callers: ['operator'],
  request: z.strictObject({ clientId, operations: requestedOperations }),
  reply: appSchema,
  errors: ['unknown_app'],
});
export const listSecrets = query({
  service: 'directory',
  name: 'list-secrets',
  callers: ['operator'],
  request: z.strictObject({ clientId }),
  reply: z.strictObject({ items: z.array(secretSchema) }),
  errors: ['unknown_app'],
});
/** Two secrets may be valid at a time, so that one can be rotated without downtime. */
export const createSecret = command({
  service: 'directory',
  name: 'create-secret',
  callers: ['operator'],
  request: z.strictObject({ clientId }),
  reply: z.strictObject({ secretId: z.string(), clientSecret: z.string() }),
  errors: ['unknown_app', 'invalid_state'],
});
export const revokeSecret = command({
  service: 'directory',
  name: 'revoke-secret',
  callers: ['operator'],
  request: z.strictObject({ clientId, secretId: z.string() }),
  reply: z.strictObject({}),
  errors: ['unknown_app', 'unknown_secret'],
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

/** What auth needs to authenticate a client: keyed hashes of its valid secrets, never the secrets. */
export const getClient = query({
  service: 'directory',
  name: 'get-client',
  callers: ['auth'],
  request: z.strictObject({ clientId }),
  reply: z.strictObject({
    app: appSchema,
    secrets: z.array(z.strictObject({ id: z.string(), hash: z.string().describe('base64url') })),
    orgSuspended: z.boolean(),
    rateLimits: appRateLimitsSchema.optional().describe('Of the app, and of its organization where it has none'),
  }),
  errors: ['unknown_app'],
});

/**
 * Stores the hash of a client secret under the current SECRET_PEPPER, during its rotation. Directory checks the secret
 * under the earlier pepper, so that auth cannot store another one.
 */
export const renewSecretHash = command({
  service: 'directory',
  name: 'renew-secret-hash',
  callers: ['auth'],
  request: z.strictObject({ clientId, secretId: z.string(), secret: z.string().min(1).max(200) }),
  reply: z.strictObject({ renewed: z.boolean() }),
  errors: [],
});

/**
 * Access state of an app, organization or person. An absent entry means that nothing has changed since the oldest valid
 * token was issued.
 */
const accessEntrySchema = z.strictObject({
  seq: z.int(),
  kind: z.enum(['app', 'organization', 'person']),
  id: z.string(),
  disabled: z.boolean().describe('Also true for a person who was removed'),
  minVersion: z.int().describe('Tokens issued for an older version of the app or person are refused'),
  revokedSecrets: z
    .array(z.string())
    .describe('Tokens requested with these are refused: ids of revoked secrets and of removed keys'),
});
export type AccessEntry = z.infer<typeof accessEntrySchema>;

/** Entries that changed after `since`. 0 returns a snapshot of all entries that concern tokens that are still valid. */
export const accessChanges = query({
  service: 'directory',
  name: 'access-changes',
  callers: ['gateway', 'auth'],
  request: z.strictObject({
    since: z.int(),
    people: z.boolean().optional().describe('Also entries of people: earlier versions of gateway and auth know none'),
  }),
  reply: z.strictObject({ seq: z.int(), entries: z.array(accessEntrySchema) }),
});
/** The same for one app or person: the introspection fallback while the revocation feed has no heartbeat. */
export const appAccess = query({
  service: 'directory',
  name: 'app-access',
  callers: ['gateway'],
  request: z.strictObject({ clientId, org: z.string(), person: uuid.optional() }),
  reply: z.strictObject({ entries: z.array(accessEntrySchema) }),
});
/**
 * Heartbeat of the feed with the newest `seq`. Strict, because JetStream's acknowledgement of an event has a `seq` too,
 * and the event's publisher chooses its subject.
 */
export const accessHeartbeatSchema = z.strictObject({ seq: z.int() });

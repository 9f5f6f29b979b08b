import { z } from 'zod';
import { appRateLimitsSchema } from '../app-rate-limits.js';
import { command, query } from '../contract.js';
import { clientId, uuid } from '../fields.js';
import { appSchema } from './apps.js';

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

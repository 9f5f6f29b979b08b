import { z } from 'zod';
import { appRateLimitsPatchSchema, appRateLimitsSchema } from '../app-rate-limits.js';
import { shortId } from '../context.js';
import { command, query } from '../contract.js';
import { clientId, credentialTypeName, instant, name } from '../fields.js';
import { appKinds, operationNames } from '../operations.js';
import { appKeyFields, newAppKeyFields } from './app-keys.js';
import { backchannelLogoutUri, redirectUri, webOrigin } from './app-uris.js';
import { appBrandingFields, appBrandingSettings } from './branding.js';

/** The API version of new apps (product: versioning). */
export const currentApiVersion = '2026-11-01';

/**
 * Whether sign-ins of an app require PKCE. `optional_without_nonce` leaves no protection against the injection of a
 * stolen code (RFC 9700 §2.1.1), so only the operator sets it, for test clients of a certification (product §5).
 */
export const pkceModes = ['required', 'optional', 'optional_without_nonce'] as const;
export const pkceMode = z
  .enum(pkceModes)
  .describe(
    'RFC 7636; `optional` only for web apps, which must then send a nonce. `optional_without_nonce`: neither is ' +
      'required; weaker, and set by the operator of Holdfast only',
  );

export const deviceAuthorization = z
  .boolean()
  .describe(
    'Whether it signs in on devices without a browser: they show a code, which is entered in a browser elsewhere ' +
      '(RFC 8628). For native apps only',
  );

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
  deviceAuthorization: deviceAuthorization.optional(),
  pkce: pkceMode,
  idTokenAlg: z.enum(['RS256', 'ES256']).optional().describe('Signature algorithm of its ID tokens; RS256 when absent'),
  ...appBrandingFields,
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
/** Any string passes the schema: the handler rejects an operation that no program may hold, with a message. */
const requestedOperations = z.array(z.string().max(64)).min(1).max(50);

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
    deviceAuthorization: deviceAuthorization.optional(),
    pkce: pkceMode.default('required'),
    idTokenAlg: z.enum(['RS256', 'ES256']).optional(),
    accentColor: appBrandingSettings.accentColor.optional(),
    logo: appBrandingSettings.logo.optional(),
    startUri: appBrandingSettings.startUri.optional(),
    helpUri: appBrandingSettings.helpUri.optional(),
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
    deviceAuthorization: deviceAuthorization.optional(),
    pkce: pkceMode.optional(),
    idTokenAlg: z.enum(['RS256', 'ES256']).optional(),
    accentColor: appBrandingSettings.accentColor.nullable().optional().describe('Null removes it'),
    logo: appBrandingSettings.logo.nullable().optional().describe('Null removes it'),
    startUri: appBrandingSettings.startUri.nullable().optional().describe('Null removes it'),
    helpUri: appBrandingSettings.helpUri.nullable().optional().describe('Null removes it'),
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
/** `issuance` reads the redirect URIs of an app that sent a `returnUrl`, `signals` whom a receiver is for. */
export const getApp = query({
  service: 'directory',
  name: 'get-app',
  callers: ['operator', 'issuance', 'signals'],
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
/** Quotas of one app, which precede those of its organization. In force with its next access token. */
export const limitApp = command({
  service: 'directory',
  name: 'limit-app',
  callers: ['operator'],
  request: z.strictObject({ clientId, rateLimits: appRateLimitsPatchSchema }),
  reply: appSchema,
  errors: ['unknown_app'],
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

import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { clientIdPattern, credentialTypeName, instant, pageLimit } from '../fields.js';
import { makerSchema } from '../maker.js';
import { appKinds } from '../operations.js';
import { readableName } from '../readable-text.js';
import { appKeyFields, newAppKeyFields } from './app-keys.js';
import { backchannelLogoutUri, httpsUri, redirectUri, webOrigin } from './app-uris.js';
import { appSchema, deviceAuthorization, pkceMode } from './apps.js';
import { appBrandingFields, appBrandingSettings } from './branding.js';

/** A name that people read: of an app, or what customers read on the sign-in page. */
const appName = readableName(100);

const uris = (schema: z.ZodType<string, string>) => z.array(schema).max(20, 'must have at most 20 entries');

/** The client ID of an app as a parameter. */
export const clientIdParameter = z
  .string()
  .regex(clientIdPattern, 'must be a client ID')
  .describe('The app: its `clientId`')
  .meta({ examples: ['app_Ab3dE6gH9jK2mN5pQ8sT1v'] });
const clientId = clientIdParameter;
const secretId = z
  .string()
  .regex(/^sec_[A-Za-z0-9_-]{12}$/, 'must be the id of a client secret')
  .meta({ examples: ['sec_Ab3dE6gH9jK2'] })
  .describe('The client secret: its `id`');

/** Settings of an app that the Admin API returns and changes. Its scopes, kind and audience are not among them. */
const settings = {
  displayName: appName.describe('What customers read on the sign-in page; the name when absent'),
  credentialType: credentialTypeName.describe(
    "Type of the credential with which customers sign in; the organization's default type when absent",
  ),
  backchannelLogoutUri: backchannelLogoutUri.describe(
    'Receives logout tokens when a session ends or a customer is erased (OpenID Connect Back-Channel Logout)',
  ),
  logoUri: httpsUri.describe(
    'Address of a logo, for pages of your own. Holdfast never requests it; its pages show the logo that `logo` gives',
  ),
  ...appBrandingSettings,
  idTokenAlg: z.enum(['RS256', 'ES256']).describe('Signature algorithm of its ID tokens; RS256 when absent'),
};
const lists = {
  redirectUris: uris(redirectUri).describe('Where a sign-in may lead back to, compared letter by letter'),
  postLogoutRedirectUris: uris(redirectUri).describe('Where a sign-out may lead back to'),
  origins: uris(webOrigin).describe(
    'Web origins whose pages may request a presence challenge, besides those of the redirect URIs',
  ),
};
const refreshTokens = z.boolean().describe('Whether it may keep a customer signed in by refresh tokens');
const pkce = z
  .enum(['required', 'optional'], {
    error: 'must be required or optional; anything weaker is set by the operator of Holdfast only',
  })
  .describe('RFC 7636; `optional` only for web apps, which must then send a nonce');
const name = appName.describe('Unique in the organization');

/** Body of the request that creates an app. It has no scopes: people and the operator grant them. */
const newAppSchema = z
  .strictObject({
    name,
    kind: z
      .enum(appKinds)
      .describe(
        '`web` has a backend that keeps a client secret; `spa` and `native` are public clients. `service` apps are ' +
          'made by people; a `receiver` receives security events (Shared Signals)',
      ),
    audience: z.enum(['customers', 'people']).default('customers').describe('Who signs in to it'),
    displayName: settings.displayName.optional(),
    credentialType: settings.credentialType.optional(),
    redirectUris: lists.redirectUris.default([]),
    postLogoutRedirectUris: lists.postLogoutRedirectUris.default([]),
    origins: lists.origins.default([]),
    backchannelLogoutUri: settings.backchannelLogoutUri.optional(),
    logoUri: settings.logoUri.optional(),
    accentColor: settings.accentColor.optional(),
    logo: settings.logo.optional(),
    startUri: settings.startUri.optional(),
    helpUri: settings.helpUri.optional(),
    refreshTokens: refreshTokens.default(true),
    deviceAuthorization: deviceAuthorization.optional(),
    pkce: pkce.default('required'),
    idTokenAlg: settings.idTokenAlg.optional(),
  })
  .meta({ id: 'NewApp' });

/** Of a change: null removes the setting. */
const removable = <Schema extends z.ZodType>(schema: Schema) =>
  schema.nullable().optional().describe(`${schema.description}. Null removes it`);

/** Body of a change (RFC 7396): only the given members change, a list replaces the earlier one, null removes. */
const appPatchSchema = z
  .strictObject({
    name: name.optional(),
    displayName: removable(settings.displayName),
    credentialType: removable(settings.credentialType),
    redirectUris: lists.redirectUris.optional(),
    postLogoutRedirectUris: lists.postLogoutRedirectUris.optional(),
    origins: lists.origins.optional(),
    backchannelLogoutUri: removable(settings.backchannelLogoutUri),
    logoUri: removable(settings.logoUri),
    accentColor: removable(settings.accentColor),
    logo: removable(settings.logo),
    startUri: removable(settings.startUri),
    helpUri: removable(settings.helpUri),
    refreshTokens: refreshTokens.optional(),
    deviceAuthorization: deviceAuthorization.optional(),
    pkce: pkce.optional(),
    idTokenAlg: removable(settings.idTokenAlg),
    ...newAppKeyFields,
  })
  .meta({ id: 'AppPatch' });
export type AppPatch = z.output<typeof appPatchSchema>;

export const appStatuses = ['enabled', 'disabled'] as const;

/** An app as the Admin API shows it. */
const managedAppSchema = z
  .strictObject({
    clientId: z.string().describe('Its client ID; never used again for another app'),
    name: appSchema.shape.name.describe('Unique in the organization'),
    kind: z.enum(appKinds).describe('What it is; never changes'),
    audience: z.enum(['customers', 'people']).describe('Who signs in to it; never changes'),
    status: z.enum(appStatuses).describe('A disabled app gets no tokens, nobody signs in to it'),
    displayName: appSchema.shape.displayName,
    credentialType: appSchema.shape.credentialType,
    redirectUris: appSchema.shape.redirectUris.describe('Where a sign-in may lead back to'),
    postLogoutRedirectUris: appSchema.shape.postLogoutRedirectUris,
    origins: appSchema.shape.origins,
    backchannelLogoutUri: appSchema.shape.backchannelLogoutUri,
    logoUri: settings.logoUri.optional(),
    ...appBrandingFields,
    refreshTokens,
    deviceAuthorization: appSchema.shape.deviceAuthorization,
    pkce: pkceMode,
    idTokenAlg: appSchema.shape.idTokenAlg,
    ...appKeyFields,
    scopes: appSchema.shape.scopes.describe('Operations that people or the operator have granted to it'),
    builtIn: z.literal(true).optional().describe('It is part of Holdfast, and nobody changes it through this API'),
    createdBy: z.string().optional().describe('Client ID of the app that created it; absent when people did'),
    apiVersion: appSchema.shape.apiVersion,
    version: z.int().describe('Grows with each change; the `ETag` has it'),
    createdAt: instant.describe('When it was created'),
  })
  .meta({ id: 'App' });
export type ManagedApp = z.infer<typeof managedAppSchema>;

/** A client secret without its value. */
const managedSecretSchema = z
  .strictObject({
    id: z.string().describe('The secret'),
    createdAt: instant.describe('When it was created'),
    createdBy: z.string().optional().describe('Client ID of the app that created it; absent when people did'),
    madeBy: makerSchema
      .optional()
      .describe('Who created it, and so has seen its value. Without an id it was a person who was removed: replace it'),
  })
  .meta({ id: 'ClientSecret' });
export type ManagedSecret = z.infer<typeof managedSecretSchema>;

/** A new client secret. This response is the only one that has its value. */
const newSecretSchema = managedSecretSchema
  .extend({ clientSecret: z.string().describe('Shown only once') })
  .meta({ id: 'NewClientSecret' });

const createdAppSchema = managedAppSchema
  .extend({ secret: newSecretSchema.optional().describe('Its client secret; absent for public clients') })
  .meta({ id: 'CreatedApp' });

const appCursorSchema = z.strictObject({ createdAt: instant, clientId });

/** Whether the caller is a person who may change grants too (`grants:manage`). The gateway knows it from the token. */
const mayManageGrants = z.boolean().default(false);
/** Whether a person signed in a short time ago. Only then do they change what could take over an app with a scope. */
const signedInRecently = z.boolean().default(false);
/**
 * The operation by which the caller manages apps; the endpoint decides it. `ssf:manage` reaches receivers of Shared
 * Signals only, and any other app is unknown to it.
 */
const right = z.enum(['apps:manage', 'ssf:manage']).default('apps:manage');
export type AppRight = z.output<typeof right>;
/** Versions of `If-Match`: with any other version nothing is changed. */
const ifVersions = z.array(z.int()).max(20).optional();
const changeErrors = ['unknown_app', 'app_protected', 'precondition_failed'] as const;

export const adminListApps = query({
  service: 'directory',
  name: 'admin-list-apps',
  callers: ['gateway'],
  request: z.strictObject({
    status: z.enum(appStatuses).optional(),
    kind: z.enum(appKinds).optional(),
    audience: z.enum(['customers', 'people']).optional(),
    namePrefix: z.string().max(100).optional(),
    limit: pageLimit,
    after: appCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(managedAppSchema), next: appCursorSchema.optional() }),
});
export const adminGetApp = query({
  service: 'directory',
  name: 'admin-get-app',
  callers: ['gateway'],
  request: z.strictObject({ clientId, right }),
  reply: managedAppSchema,
  errors: ['unknown_app'],
});
export const adminCreateApp = idempotentCommand({
  service: 'directory',
  name: 'admin-create-app',
  callers: ['gateway'],
  request: z.strictObject({ app: newAppSchema, right, mayManageGrants }),
  reply: z.strictObject({ app: createdAppSchema }),
  errors: ['app_protected', 'limit_reached', 'conflict', 'invalid_request'],
});
export const adminUpdateApp = idempotentCommand({
  service: 'directory',
  name: 'admin-update-app',
  callers: ['gateway'],
  request: z.strictObject({ clientId, changes: appPatchSchema, right, ifVersions, mayManageGrants, signedInRecently }),
  reply: z.strictObject({ app: managedAppSchema }),
  errors: [...changeErrors, 'step_up_required', 'conflict', 'invalid_request'],
});
export const adminDisableApp = idempotentCommand({
  service: 'directory',
  name: 'admin-disable-app',
  callers: ['gateway'],
  request: z.strictObject({ clientId, disabled: z.boolean(), right, mayManageGrants }),
  reply: z.strictObject({ app: managedAppSchema }),
  errors: [...changeErrors],
});
/** Only people change grants; an operation that the app cannot hold is refused. */
export const adminChangeGrants = idempotentCommand({
  service: 'directory',
  name: 'admin-change-grants',
  callers: ['gateway'],
  request: z.strictObject({
    clientId,
    granted: z.boolean(),
    operations: z.array(z.string().max(64)).min(1).max(50),
    ifVersions,
    mayManageGrants,
  }),
  reply: z.strictObject({ app: managedAppSchema }),
  errors: [...changeErrors, 'not_grantable', 'invalid_state'],
});
export const adminDeleteApp = idempotentCommand({
  service: 'directory',
  name: 'admin-delete-app',
  callers: ['gateway'],
  request: z.strictObject({ clientId, right, ifVersions, mayManageGrants }),
  reply: z.strictObject({}),
  errors: [...changeErrors],
});
export const adminListSecrets = query({
  service: 'directory',
  name: 'admin-list-secrets',
  callers: ['gateway'],
  request: z.strictObject({ clientId, right }),
  reply: z.strictObject({ items: z.array(managedSecretSchema).describe('Newest first') }).meta({ id: 'ClientSecrets' }),
  errors: ['unknown_app'],
});
/** Two secrets may be valid at a time, so that one can be rotated without downtime. */
export const adminCreateSecret = idempotentCommand({
  service: 'directory',
  name: 'admin-create-secret',
  callers: ['gateway'],
  request: z.strictObject({ clientId, right, mayManageGrants }),
  reply: z.strictObject({ secret: newSecretSchema }),
  errors: [...changeErrors, 'invalid_state'],
});
export const adminRevokeSecret = idempotentCommand({
  service: 'directory',
  name: 'admin-revoke-secret',
  callers: ['gateway'],
  request: z.strictObject({ clientId, secretId, right, mayManageGrants }),
  reply: z.strictObject({}),
  errors: [...changeErrors, 'unknown_secret'],
});

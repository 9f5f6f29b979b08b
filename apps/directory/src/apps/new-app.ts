import { randomBytes } from 'node:crypto';
import { currentApiVersion, type App, type AuditRecord } from '@holdfast/contracts';
import { AppEntity } from './app.entity.js';
import type { AppChange } from './apps.js';
import { keyIds, type KeySettings } from './keys/key-settings.js';

/** Columns of an app that a request may leave out. */
type Settings = { [Field in keyof AppEntity]?: AppEntity[Field] | undefined };
type NewApp = Pick<AppEntity, 'org' | 'name' | 'kind' | 'audience'>;
type Given = Omit<Settings, keyof NewApp | keyof KeySettings>;

/** A new app without grants, under a client ID of its own. */
export function newApp(given: NewApp & Given, keys: KeySettings): AppEntity {
  return Object.assign(new AppEntity(), {
    displayName: null,
    credentialType: null,
    backchannelLogoutUri: null,
    logoUri: null,
    helpUri: null,
    startUri: null,
    accentColor: null,
    logoId: null,
    idTokenAlg: null,
    createdBy: null,
    rateLimits: null,
    deviceAuthorization: false,
    ...given,
    ...keys,
    clientId: `app_${randomBytes(16).toString('base64url')}`,
    apiVersion: currentApiVersion,
    version: 1,
    grants: [],
  });
}

/** The audit record of a new app: the given settings, and the id of its secret. Keys are named by their ids. */
export function createdChange(given: object, { jwks }: KeySettings, secretId: string | undefined): AppChange {
  const fields = { ...given, ...(jwks && { jwks: keyIds(jwks) }) };
  return {
    action: 'app.create',
    ...(secretId !== undefined && { targets: [{ type: 'secret', id: secretId }] }),
    changes: Object.fromEntries(Object.entries(fields).map(([field, to]) => [field, { to }])),
  };
}

/** The settings that a change sets to another value, before and after. Keys are named by their ids. */
export function differences(
  before: Pick<App, 'jwks'> & { [field: string]: unknown },
  changed: object & { jwks?: unknown },
  after: KeySettings,
): AuditRecord['changes'] {
  const from: Record<string, unknown> = { ...before, jwks: keyIds(before.jwks) };
  const changes = Object.entries({ ...changed, ...(changed.jwks !== undefined && { jwks: keyIds(after.jwks) }) })
    .map(([field, to]) => [field, { from: from[field], to }] as const)
    .filter(([, { from, to }]) => JSON.stringify(from ?? null) !== JSON.stringify(to ?? null));
  return Object.fromEntries(changes) as AuditRecord['changes'];
}

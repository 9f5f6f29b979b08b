import type { z } from 'zod';
import {
  createApp,
  createCredentialType,
  createGroup,
  createOrganization,
  createWebhookEndpoint,
  disableApp,
  grantOperations,
  revokeSecret,
  setPresencePolicy,
  ungrantOperations,
  updateApp,
  updateCredentialType,
  updateGroup,
  updateOrganization,
  updateWebhookEndpoint,
  type App,
  type CredentialType,
  type Group,
  type Organization,
  type PresencePolicy,
  type WebhookEndpoint,
} from '@holdfast/contracts';
import { appMembers, type Declared, type OrganizationFile } from './organization-file.js';
import type { OrganizationState } from './organization-state.js';
import { planOf, type ObjectKind, type Plan } from './plan.js';

type AppFile = Declared<'apps'>;
type NewApp = z.input<typeof createApp.request>;
type NewWebhook = z.input<typeof createWebhookEndpoint.request>['endpoint'];

const organization: ObjectKind<OrganizationFile['organization'], Organization> = {
  kind: 'organization',
  given: (file) => [file.organization],
  existing: (state) => (state.organization ? [state.organization] : []),
  nameOf: ({ shortId }) => shortId,
  declare: ({ shortId, name, relyingParty, shard, startUrl, helpUrl, accentColor }) => ({
    ...{ shortId, name, rpId: relyingParty?.rpId, shard, startUrl, helpUrl, accentColor },
  }),
  fixed: {
    rpId: 'Passkeys belong to an RP ID: holdfast org update <shortId> --rp-id, docs/rp-id.md.',
    shard: 'Move it: holdfast org move <shortId> --to <shard>.',
  },
  async create(request, _, { shortId, name = shortId, rpId, shard, ...branding }) {
    await request(createOrganization, { shortId, name, ...withoutAbsent({ rpId, shard }) });
    const shown = withoutAbsent(branding);
    if (Object.keys(shown).length > 0) await request(updateOrganization, { shortId, ...shown });
  },
  update: async (request, _, { shortId }, { name, startUrl, helpUrl, accentColor }) =>
    void (await request(updateOrganization, {
      shortId,
      ...withoutAbsent({ name, startUrl, helpUrl, accentColor }),
    })),
};

const presence: ObjectKind<NonNullable<OrganizationFile['presence']>, PresencePolicy> = {
  kind: 'policy of proofs of presence',
  given: (file) => file.presence && [file.presence],
  existing: (state) => (state.presence ? [state.presence] : []),
  nameOf: () => '',
  declare: ({ policy }) => ({ policy }),
  create: async (request, _, policy) => void (await request(setPresencePolicy, policy)),
  update: async (request, _, __, policy) => void (await request(setPresencePolicy, policy)),
};

const credentialType: ObjectKind<Declared<'credentialTypes'>, CredentialType> = {
  kind: 'credential type',
  given: (file) => file.credentialTypes,
  existing: (state) => state.credentialTypes,
  nameOf: ({ name }) => name,
  declare: ({ isDefault, ...type }) => ({ ...type, ...(isDefault && { isDefault }) }),
  create: async (request, _, { name, display = name, validity, renewalWindow, ...type }) =>
    void (await request(createCredentialType, {
      ...{ name, display },
      ...withoutAbsent({ validity: validity ?? undefined, renewalWindow: renewalWindow ?? undefined, ...type }),
    })),
  update: async (request, _, { name }, changed) => void (await request(updateCredentialType, { ...changed, name })),
};

const app: ObjectKind<AppFile, App> = {
  kind: 'app',
  given: (file) => file.apps,
  existing: (state) => state.apps,
  nameOf: ({ name }) => name,
  declare: ({ scopes, ...rest }) => ({
    ...(Object.fromEntries(Object.entries(rest).filter(([member]) => appMembers.includes(member))) as AppFile),
    grants: scopes,
  }),
  fixed: {
    kind: 'Delete the app and create another one.',
    audience: 'Delete the app and create another one.',
  },
  async create(request, org, { grants: scopes = [], disabled, ...settings }) {
    const reply = await request(createApp, { ...(withoutNull(settings) as NewApp), org, scopes });
    const { clientId, name } = reply.app;
    if (disabled) await request(disableApp, { clientId, disabled });
    if (reply.secretId === undefined) return undefined;
    // The output of a command that applies a file is in logs, so it has no secrets.
    await request(revokeSecret, { clientId, secretId: reply.secretId });
    return `${name} has no client secret yet: holdfast secret create ${clientId}`;
  },
  async update(request, _, { clientId, scopes }, { grants, disabled, ...settings }) {
    const [added, removed] = [
      (grants ?? scopes).filter((operation) => !(scopes as string[]).includes(operation)),
      scopes.filter((operation) => !(grants ?? scopes).includes(operation)),
    ];
    // First what may be refused, so that nothing else has been changed then.
    if (added.length > 0) await request(grantOperations, { clientId, operations: added });
    if (Object.keys(settings).length > 0) await request(updateApp, { clientId, ...settings });
    if (removed.length > 0) await request(ungrantOperations, { clientId, operations: removed });
    if (disabled !== undefined) await request(disableApp, { clientId, disabled });
  },
};

const group: ObjectKind<Declared<'groups'>, Group> = {
  kind: 'group',
  given: (file) => file.groups,
  existing: (state) => state.groups,
  nameOf: ({ name }) => name,
  declare: ({ name, description }) => ({ name, description }),
  create: async (request, _, { name, description }) =>
    void (await request(createGroup, { group: { name, ...(description != null && { description }) } })),
  update: async (request, _, { id }, { description = null }) =>
    void (await request(updateGroup, { group: id, changes: { description } })),
};

const webhook: ObjectKind<Declared<'webhooks'>, WebhookEndpoint> = {
  kind: 'webhook',
  given: (file) => file.webhooks,
  existing: (state) => state.webhooks,
  nameOf: ({ url }) => url,
  declare: ({ url, description, types, rateLimit, signatures }) => ({ url, description, types, rateLimit, signatures }),
  async create(request, _, given) {
    await request(createWebhookEndpoint, { endpoint: withoutNull(given) as NewWebhook });
    return `${given.url} has a secret that nobody knows: rotate it in the hub or by the Admin API`;
  },
  update: async (request, _, { id }, changes) => void (await request(updateWebhookEndpoint, { id, changes })),
};

/** In the order in which they are applied: apps name credential types. Another kind of object is one more line. */
export function plansOf(file: OrganizationFile, state: OrganizationState): Plan[] {
  return [
    planOf(organization, file, state),
    planOf(presence, file, state),
    planOf(credentialType, file, state),
    planOf(app, file, state),
    planOf(group, file, state),
    planOf(webhook, file, state),
  ];
}

/** The organization as a file. */
export function fileOf(state: OrganizationState & { organization: Organization }): OrganizationFile {
  return {
    organization: organization.declare(state.organization),
    ...(state.presence && { presence: presence.declare(state.presence) }),
    credentialTypes: state.credentialTypes.map(credentialType.declare),
    apps: state.apps.map((one) => withoutFalse(app.declare(one))),
    groups: state.groups.map(group.declare),
    webhooks: state.webhooks.map(webhook.declare),
  };
}

function withoutAbsent<Members extends object>(members: Members): { [Name in keyof Members]: Members[Name] } {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value !== undefined)) as never;
}

/** An app is enabled unless it says otherwise. */
function withoutFalse({ disabled, ...declared }: AppFile): AppFile {
  return { ...declared, ...(disabled && { disabled }) };
}

function withoutNull(members: object): object {
  return Object.fromEntries(Object.entries(members).filter(([, value]) => value != null));
}

import {
  getPresencePolicy,
  hubClientId,
  listApps,
  listCredentialTypes,
  listGroups,
  listOrganizations,
  listWebhookEndpoints,
  type App,
  type CredentialType,
  type Group,
  type Organization,
  type PresencePolicy,
  type WebhookEndpoint,
} from '@holdfast/contracts';
import { allPages } from '../all-pages.js';
import type { OperatorSession } from '../operator-session.js';

/** An organization as it is; without `organization` it does not exist. */
export interface OrganizationState {
  organization?: Organization;
  presence?: PresencePolicy;
  credentialTypes: CredentialType[];
  /** Without the hub, and without receivers of security events, which have commands of their own. */
  apps: App[];
  groups: Group[];
  webhooks: WebhookEndpoint[];
}

export async function readState({ request, requestsFor }: OperatorSession, org: string): Promise<OrganizationState> {
  const { items } = await request(listOrganizations, {});
  const organization = items.find(({ shortId }) => shortId === org);
  if (!organization) return { credentialTypes: [], apps: [], groups: [], webhooks: [] };
  const [presence, types, apps, groups, webhooks] = await Promise.all([
    request(getPresencePolicy, {}, org),
    request(listCredentialTypes, {}, org),
    request(listApps, { org }, org),
    allPages(requestsFor(org), listGroups, {}),
    request(listWebhookEndpoints, {}, org),
  ]);
  return {
    organization,
    presence,
    credentialTypes: types.items,
    apps: apps.items.filter(({ clientId, kind }) => clientId !== hubClientId(org) && kind !== 'receiver'),
    groups,
    webhooks: webhooks.items,
  };
}

import { z } from 'zod';
import type { AuditTarget } from '../audit/audit-record.js';
import { endsRights } from '../http/endpoint.js';
import { http, type Outcome } from '../http/forwarded.js';
import { namePrefix } from '../http/paging.js';
import { appTarget } from '../http/targets.js';
import { appKinds } from '../operations.js';
import {
  adminChangeGrants,
  adminCreateApp,
  adminCreateSecret,
  adminDeleteApp,
  adminDisableApp,
  adminGetApp,
  adminListApps,
  adminListSecrets,
  adminRevokeSecret,
  adminUpdateApp,
  appStatuses,
  type ManagedApp,
  type ManagedSecret,
} from './apps-admin.js';

const tag = 'Admin API: apps';
const operation = 'apps:manage';
const apps = '/o/{shortId}/api/admin/apps';
const path = `${apps}/{clientId}` as const;
const operationName = z.string().min(1).max(64);

const secretTarget = (id: string): AuditTarget => ({ type: 'secret', id });
/** Only an app that was found is named in the record. */
const appOf = ({ params: { clientId } }: { params: { clientId: string } }, outcome?: Outcome): AuditTarget[] =>
  outcome ? [appTarget(clientId)] : [];

const secretExample: ManagedSecret = { id: 'sec_k3Jd8sLq0Zx1', createdAt: '2026-11-21T09:30:00.000Z' };
const newSecretExample = { ...secretExample, clientSecret: 'n0tR3alX9cVb2mKq7wZt5yHf4gJd1sLp6aQe8rUiO' };
const appExample: ManagedApp = {
  clientId: 'app_Ab3dE6gH9jK2mN5pQ8sT1v',
  name: 'Shop',
  kind: 'web',
  audience: 'customers',
  status: 'enabled',
  displayName: 'Acme Shop',
  redirectUris: ['https://shop.example/callback'],
  postLogoutRedirectUris: ['https://shop.example/'],
  origins: [],
  backchannelLogoutUri: 'https://shop.example/logged-out',
  accentColor: '#0b57a4',
  logoPath: '/o/acme/logos/9f86d081884c7d659a2feaa0c55ad015',
  startUri: 'https://shop.example/',
  helpUri: 'https://shop.example/help',
  refreshTokens: true,
  pkce: 'required',
  scopes: [],
  apiVersion: '2026-11-01',
  version: 1,
  createdAt: '2026-11-21T09:30:00.000Z',
};

const appsOfOrganization = [
  http(adminListApps, {
    id: 'listApps',
    method: 'GET',
    path: apps,
    tag,
    summary: 'List apps',
    description: 'The apps of the organization, newest first. Client secrets are never shown.',
    operation,
    personOperation: 'apps:read',
    action: 'app.list',
    query: {
      status: z.enum(appStatuses).optional().describe('Only apps with this status'),
      kind: z.enum(appKinds).optional().describe('Only apps of this kind'),
      audience: z.enum(['customers', 'people']).optional().describe('Only apps for these'),
      q: namePrefix('apps'),
    },
    request: ({ query: { q, status, kind, audience } }) => ({ status, kind, audience, namePrefix: q }),
    response: 'A page of apps',
    page: 'AppPage',
    example: appExample,
    targets: () => [],
  }),
  http(adminGetApp, {
    id: 'getApp',
    method: 'GET',
    path,
    tag,
    summary: 'Get an app',
    description: 'An app of the organization. Client secrets are never shown.',
    operation,
    personOperation: 'apps:read',
    action: 'app.read',
    versioned: true,
    response: 'The app',
    example: appExample,
    targets: appOf,
  }),
  http(adminCreateApp, {
    id: 'createApp',
    method: 'POST',
    path: apps,
    tag,
    summary: 'Create an app',
    description:
      'Creates an app to which customers sign in. A `web` app gets a client secret, which only this response shows. ' +
      'The app holds no scope: people with the right to manage grants, or the operator, grant scopes and create ' +
      '`service` apps. Before a scope is granted, client secrets that a program has seen must be replaced.',
    operation,
    action: 'app.create',
    // Its redirect URIs receive sign-ins, and its client secret outlives the session.
    stepUp: true,
    body: 'app',
    bodies: {
      web: {
        summary: 'A web app with a backend',
        value: {
          name: 'Shop',
          kind: 'web',
          displayName: 'Acme Shop',
          redirectUris: ['https://shop.example/callback'],
          postLogoutRedirectUris: ['https://shop.example/'],
          backchannelLogoutUri: 'https://shop.example/logged-out',
          helpUri: 'https://shop.example/help',
        },
      },
      native: {
        summary: 'A native app',
        value: { name: 'Shop for phones', kind: 'native', redirectUris: ['example.shop:/signed-in'] },
      },
    },
    versioned: true,
    status: 201,
    response: 'The app is created',
    member: 'app',
    example: { ...appExample, secret: newSecretExample },
    targets: (_, outcome) => (outcome ? [appTarget(outcome.reply.app.clientId)] : []),
    location: {
      of: 'the app',
      path: ({ params: { shortId } }, { app }) => `/o/${shortId}/api/admin/apps/${app.clientId}`,
    },
  }),
];

const statusChange = (
  verb: 'disable' | 'enable',
  declared: { summary: string; description: string; stepUp?: true; noStepUp?: string; example: ManagedApp },
) =>
  http(adminDisableApp, {
    ...declared,
    id: `${verb}App`,
    method: 'POST',
    path: `${path}/${verb}`,
    tag,
    operation,
    action: `app.${verb}`,
    request: ({ params: { clientId } }) => ({ clientId, disabled: verb === 'disable' }),
    versioned: true,
    response: 'The app as it is now',
    member: 'app',
    targets: appOf,
  });

const changes = [
  http(adminUpdateApp, {
    id: 'updateApp',
    method: 'PATCH',
    path,
    tag,
    summary: 'Change an app',
    description:
      'Changes only the given members; null removes one, and a list replaces the earlier list. `kind` and `audience` ' +
      'never change. With `If-Match` nothing is changed unless the app still has that version. A program changes ' +
      'only apps that it made and that hold no scope. A change of a name or of a setting of sign-ins ' +
      'and sign-outs widens rights. People change `startUri` and `helpUri`, which customers follow, after a recent ' +
      'sign-in. How the app authenticates and what its tokens are (`tokenEndpointAuthMethod`, `jwks`, `jwksUri`, ' +
      '`requireDpop`, `accessTokenFormat`) is changed by people who may manage grants: with `private_key_jwt` its ' +
      'client secrets are revoked, and with `client_secret_basic` its keys removed.',
    operation,
    action: 'app.update',
    stepUp: 'service decides',
    body: 'changes',
    bodies: {
      uris: {
        summary: 'Another redirect URI',
        value: { redirectUris: ['https://shop.example/callback', 'https://shop.example/v2/callback'] },
      },
      branding: {
        summary: 'Colour and addresses on its sign-in page',
        value: { accentColor: '#0b57a4', startUri: 'https://shop.example/', helpUri: 'https://shop.example/help' },
      },
      removed: { summary: 'Without help address', value: { helpUri: null } },
      keys: {
        summary: 'With a private key of its own instead of a client secret',
        value: { tokenEndpointAuthMethod: 'private_key_jwt', jwksUri: 'https://shop.example/jwks.json' },
      },
    },
    versioned: true,
    response: 'The app as it is now',
    member: 'app',
    example: { ...appExample, version: 2 },
    targets: appOf,
  }),
  statusChange('disable', {
    summary: 'Disable an app',
    description: 'The app gets no tokens, and nobody signs in to it. Its tokens are refused within a second, for good.',
    noStepUp: endsRights,
    example: { ...appExample, status: 'disabled', version: 2 },
  }),
  statusChange('enable', {
    summary: 'Enable an app',
    description:
      'The app gets tokens, and people and customers sign in to it. Tokens from before it was disabled stay refused.',
    // Somebody may have disabled it because its secret leaked.
    stepUp: true,
    example: { ...appExample, version: 3 },
  }),
  http(adminDeleteApp, {
    id: 'deleteApp',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete an app',
    description:
      'Deletes the app with its client secrets, for good. Its tokens are refused within a second. Its assignments ' +
      'end and its pending access requests are cancelled, each with an event within seconds. Its name can ' +
      'be used again, its client ID never. Customers to whom it made offers stay, but only the app that ' +
      'made the offers can manage them: disable such an app instead.',
    operation,
    noStepUp: endsRights,
    action: 'app.delete',
    versioned: true,
    status: 204,
    response: 'The app is deleted',
    targets: appOf,
  }),
];

const secrets = [
  http(adminListSecrets, {
    id: 'listAppSecrets',
    method: 'GET',
    path: `${path}/secrets`,
    tag,
    summary: 'List the client secrets of an app',
    description: 'The valid client secrets of an app, two at most, newest first, without their values.',
    operation,
    action: 'app.secret.list',
    response: 'The client secrets',
    example: { items: [secretExample] },
    targets: appOf,
  }),
  http(adminCreateSecret, {
    id: 'createAppSecret',
    method: 'POST',
    path: `${path}/secrets`,
    tag,
    summary: 'Create a client secret',
    description:
      'Adds a client secret to an app that has one at most, so that secrets are rotated without downtime: create the ' +
      'second, deploy it, revoke the first. Only this response shows it. A program creates secrets only for apps ' +
      'that it made and that hold no scope.',
    operation,
    action: 'app.secret.create',
    stepUp: true,
    status: 201,
    response: 'The client secret is created',
    member: 'secret',
    example: newSecretExample,
    targets: ({ params: { clientId } }, outcome) =>
      outcome ? [appTarget(clientId), secretTarget(outcome.reply.secret.id)] : [],
  }),
  http(adminRevokeSecret, {
    id: 'revokeAppSecret',
    method: 'DELETE',
    path: `${path}/secrets/{secretId}`,
    tag,
    summary: 'Revoke a client secret',
    description: 'The client secret is no longer accepted. Tokens that were requested with it are refused in a second.',
    operation,
    noStepUp: endsRights,
    action: 'app.secret.revoke',
    status: 204,
    response: 'The client secret is revoked',
    targets: ({ params: { clientId, secretId } }, outcome) =>
      outcome ? [appTarget(clientId), secretTarget(secretId)] : [],
  }),
];

const grants = [
  http(adminChangeGrants, {
    id: 'grantOperations',
    method: 'POST',
    path: `${path}/grants`,
    tag,
    summary: 'Grant operations to an app',
    description:
      'For people only. Customer scopes go to `web` and `service` apps, operations of the Admin API to `service` ' +
      'apps; what is for people only goes to none. Client secrets that a program has seen must be replaced before.',
    operation: 'grants:manage',
    action: 'app.grant',
    stepUp: true,
    body: z
      .strictObject({
        operations: z.array(operationName).min(1).max(50).describe('Those that the app holds already stay as they are'),
      })
      .meta({ id: 'Grant' }),
    bodies: { scopes: { summary: 'Two scopes', value: { operations: ['offers:write', 'issued:read'] } } },
    request: ({ params: { clientId }, body: { operations } }) => ({ clientId, granted: true, operations }),
    versioned: true,
    response: 'The app as it is now',
    member: 'app',
    example: { ...appExample, scopes: ['issued:read', 'offers:write'], version: 2 },
    targets: appOf,
  }),
  http(adminChangeGrants, {
    id: 'ungrantOperation',
    method: 'DELETE',
    path: `${path}/grants/{operation}`,
    tag,
    summary: 'Take an operation from an app',
    description: 'For people only. Every access token of the app is refused within a second, since each may hold it.',
    operation: 'grants:manage',
    noStepUp: endsRights,
    action: 'app.ungrant',
    without: ['not_grantable', 'invalid_state'],
    params: { operation: operationName.describe('The operation, whether or not the app holds it') },
    request: ({ params: { clientId, operation: name } }) => ({ clientId, granted: false, operations: [name] }),
    versioned: true,
    response: 'The app as it is now',
    member: 'app',
    example: { ...appExample, version: 3 },
    targets: appOf,
  }),
];

export const appEndpoints = [...appsOfOrganization, ...changes, ...grants, ...secrets];

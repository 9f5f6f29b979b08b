import { z } from 'zod';
import type { AuditTarget } from '../audit/audit-record.js';
import { endsRights } from '../http/endpoint.js';
import { http, type Outcome } from '../http/forwarded.js';
import { namePrefix } from '../http/paging.js';
import { appTarget } from '../http/targets.js';
import { readableName } from '../readable-text.js';
import {
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
} from './apps-admin.js';

const tag = 'Admin API: Shared Signals';
const operation = 'ssf:manage';
const receivers = '/o/{shortId}/api/admin/ssf/receivers';
const path = `${receivers}/{clientId}` as const;
/** It reaches receivers only. */
const right = 'ssf:manage';

const name = readableName(100).describe('Unique among the apps of the organization');
const audience = z
  .enum(['customers', 'people'])
  .default('customers')
  .describe('Whose changes it receives: those of customers, or of people. It never changes');

const secretTarget = (id: string): AuditTarget => ({ type: 'secret', id });
const receiverOf = ({ params: { clientId } }: { params: { clientId: string } }, outcome?: Outcome): AuditTarget[] =>
  outcome ? [appTarget(clientId)] : [];

const example: ManagedApp = {
  clientId: 'app_Rc3dE6gH9jK2mN5pQ8sT1v',
  name: 'SIEM',
  kind: 'receiver',
  audience: 'customers',
  status: 'enabled',
  redirectUris: [],
  postLogoutRedirectUris: [],
  origins: [],
  refreshTokens: true,
  pkce: 'required',
  scopes: [],
  apiVersion: '2026-11-01',
  version: 1,
  createdAt: '2026-11-25T09:30:00.000Z',
};
const secret = { id: 'sec_k3Jd8sLq0Zx1', createdAt: '2026-11-25T09:30:00.000Z' };
const newSecret = { ...secret, clientSecret: 'n0tR3alX9cVb2mKq7wZt5yHf4gJd1sLp6aQe8rUiO' };

const statusChange = (
  verb: 'disable' | 'enable',
  declared: { summary: string; description: string; stepUp?: true; noStepUp?: string; example: ManagedApp },
) =>
  http(adminDisableApp, {
    ...declared,
    id: `${verb}Receiver`,
    method: 'POST',
    path: `${path}/${verb}`,
    tag,
    operation,
    action: `app.${verb}`,
    request: ({ params: { clientId } }) => ({ clientId, right, disabled: verb === 'disable' }),
    versioned: true,
    response: 'The receiver as it is now',
    member: 'app',
    targets: receiverOf,
  });

/** Receivers are apps: the same requests to directory as for other apps, by another right. */
export const receiverEndpoints = [
  http(adminListApps, {
    id: 'listReceivers',
    method: 'GET',
    path: receivers,
    tag,
    summary: 'List receivers',
    description: 'The receivers of Shared Signals of the organization, newest first. See docs/shared-signals.md.',
    operation,
    action: 'app.list',
    query: {
      status: z.enum(appStatuses).optional().describe('Only receivers with this status'),
      q: namePrefix('receivers'),
    },
    request: ({ query: { q, status } }) => ({ kind: 'receiver', status, namePrefix: q }),
    response: 'A page of receivers',
    page: 'ReceiverPage',
    example,
    targets: () => [],
  }),
  http(adminCreateApp, {
    id: 'createReceiver',
    method: 'POST',
    path: receivers,
    tag,
    summary: 'Create a receiver',
    description:
      'Creates an app of the kind `receiver` with a client secret, which only this response shows. It gets tokens ' +
      'for `ssf.manage` and `ssf.read`, and nothing else; with them it makes and reads its own streams.',
    operation,
    action: 'app.create',
    stepUp: true,
    body: z.strictObject({ name, audience }).meta({ id: 'NewReceiver' }),
    bodies: {
      customers: { summary: 'For changes of customers', value: { name: 'SIEM' } },
      people: { summary: 'For changes of people', value: { name: 'Staff directory', audience: 'people' } },
    },
    request: ({ body }) => ({ app: { ...body, kind: 'receiver' }, right }),
    versioned: true,
    status: 201,
    response: 'The receiver is created',
    member: 'app',
    example: { ...example, secret: newSecret },
    targets: (_, outcome) => (outcome ? [appTarget(outcome.reply.app.clientId)] : []),
    location: {
      of: 'the receiver',
      path: ({ params: { shortId } }, { app }) => `/o/${shortId}/api/admin/ssf/receivers/${app.clientId}`,
    },
  }),
  http(adminGetApp, {
    id: 'getReceiver',
    method: 'GET',
    path,
    tag,
    summary: 'Get a receiver',
    operation,
    action: 'app.read',
    request: ({ params: { clientId } }) => ({ clientId, right }),
    versioned: true,
    response: 'The receiver',
    example,
    targets: receiverOf,
  }),
  http(adminUpdateApp, {
    id: 'updateReceiver',
    method: 'PATCH',
    path,
    tag,
    summary: 'Rename a receiver',
    operation,
    action: 'app.update',
    noStepUp: 'a name changes nothing that the receiver may do',
    without: ['step_up_required'],
    body: z.strictObject({ name }).meta({ id: 'ReceiverPatch' }),
    bodies: { name: { summary: 'Another name', value: { name: 'SIEM of the data centre' } } },
    request: ({ params: { clientId }, body: changes }) => ({ clientId, changes, right }),
    versioned: true,
    response: 'The receiver as it is now',
    member: 'app',
    example: { ...example, name: 'SIEM of the data centre', version: 2 },
    targets: receiverOf,
  }),
  statusChange('disable', {
    summary: 'Disable a receiver',
    description: 'It gets no tokens, and its streams are paused. Its tokens are refused within a second, for good.',
    noStepUp: endsRights,
    example: { ...example, status: 'disabled', version: 2 },
  }),
  statusChange('enable', {
    summary: 'Enable a receiver',
    description: 'It gets tokens again. It or an administrator resumes its streams.',
    stepUp: true,
    example: { ...example, version: 3 },
  }),
  http(adminDeleteApp, {
    id: 'deleteReceiver',
    method: 'DELETE',
    path,
    tag,
    summary: 'Delete a receiver',
    description: 'Deletes the receiver with its client secrets and streams, for good.',
    operation,
    noStepUp: endsRights,
    action: 'app.delete',
    request: ({ params: { clientId } }) => ({ clientId, right }),
    versioned: true,
    status: 204,
    response: 'The receiver is deleted',
    targets: receiverOf,
  }),
  http(adminListSecrets, {
    id: 'listReceiverSecrets',
    method: 'GET',
    path: `${path}/secrets`,
    tag,
    summary: 'List the client secrets of a receiver',
    description: 'Two at most, newest first, without their values.',
    operation,
    action: 'app.secret.list',
    request: ({ params: { clientId } }) => ({ clientId, right }),
    response: 'The client secrets',
    example: { items: [secret] },
    targets: receiverOf,
  }),
  http(adminCreateSecret, {
    id: 'createReceiverSecret',
    method: 'POST',
    path: `${path}/secrets`,
    tag,
    summary: 'Create a client secret of a receiver',
    description:
      'Adds the second client secret, so that they are rotated without downtime. Only this response shows it.',
    operation,
    action: 'app.secret.create',
    stepUp: true,
    request: ({ params: { clientId } }) => ({ clientId, right }),
    status: 201,
    response: 'The client secret is created',
    member: 'secret',
    example: newSecret,
    targets: ({ params: { clientId } }, outcome) =>
      outcome ? [appTarget(clientId), secretTarget(outcome.reply.secret.id)] : [],
  }),
  http(adminRevokeSecret, {
    id: 'revokeReceiverSecret',
    method: 'DELETE',
    path: `${path}/secrets/{secretId}`,
    tag,
    summary: 'Revoke a client secret of a receiver',
    operation,
    noStepUp: endsRights,
    action: 'app.secret.revoke',
    request: ({ params: { clientId, secretId } }) => ({ clientId, secretId, right }),
    status: 204,
    response: 'The client secret is revoked',
    targets: ({ params: { clientId, secretId } }, outcome) =>
      outcome ? [appTarget(clientId), secretTarget(secretId)] : [],
  }),
];

import type { AuditTarget } from '../audit/audit-record.js';
import { clientIdExample, userIdExample } from '../http/example-ids.js';
import { http } from '../http/forwarded.js';
import { appTarget, personTarget } from '../http/targets.js';
import {
  approveAccessRequest,
  createAccessRequest,
  denyAccessRequest,
  getAccessRequest,
  listAccessRequests,
  withdrawAccessRequest,
  type AccessRequest,
} from './access-requests.js';
import { clientIdParameter } from './apps-admin.js';

const tag = 'Admin API: access requests';
const path = '/o/{shortId}/api/admin/access-requests';
const { status, user } = listAccessRequests.request.shape;

const example: AccessRequest = {
  id: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a02',
  user: userIdExample,
  app: clientIdExample,
  reason: 'On call this week',
  status: 'pending',
  durationSeconds: 604_800,
  createdAt: '2026-11-21T09:30:00.000Z',
  expiresAt: '2026-12-05T09:30:00.000Z',
};
const decided = { decidedAt: '2026-11-21T09:41:12.345Z', decidedBy: { type: 'app', id: clientIdExample } } as const;
const approved: AccessRequest = {
  ...example,
  status: 'approved',
  grantedSeconds: 86_400,
  assignment: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a03',
  ...decided,
};
const denied: AccessRequest = {
  ...example,
  status: 'denied',
  ...decided,
  decisionReason: 'Ask the owner of the app first',
};

/** A refusal of the handler has better targets, which replace these: it knows whose request it is. */
const targetsOf = ({ params: { id } }: { params: { id: string } }): AuditTarget[] => [{ type: 'access_request', id }];

export const accessRequestEndpoints = [
  http(listAccessRequests, {
    id: 'listAccessRequests',
    method: 'GET',
    path,
    tag,
    summary: 'List access requests',
    description:
      'The access requests of the organization, newest first. With several filters a page may have fewer items than ' +
      'its limit although others follow.',
    operation: 'access_requests:read',
    action: 'access_request.list',
    query: { status, user, app: clientIdParameter.optional().describe('Only requests for this app') },
    response: 'A page of access requests',
    page: 'AccessRequestPage',
    example,
    targets: ({ query }) => (query.user === undefined ? [] : [personTarget(query.user)]),
  }),
  http(listAccessRequests, {
    id: 'listMyAccessRequests',
    method: 'GET',
    path: `${path}/mine`,
    tag,
    summary: 'List my access requests',
    description: 'Those of the calling person, newest first.',
    operation: 'account:manage',
    action: 'access_request.list',
    query: { status },
    response: 'A page of access requests',
    page: 'AccessRequestPage',
    example,
    request: ({ query }) => ({ mine: true, ...(query.status && { status: query.status }) }),
    targets: () => [],
  }),
  http(getAccessRequest, {
    id: 'getAccessRequest',
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Get an access request',
    operation: 'access_requests:read',
    action: 'access_request.read',
    response: 'The access request',
    example,
    targets: ({ params: { id } }, outcome) =>
      outcome
        ? [{ type: 'access_request', id, dataSubject: outcome.reply.user }, personTarget(outcome.reply.user)]
        : [],
  }),
  http(createAccessRequest, {
    id: 'createAccessRequest',
    method: 'POST',
    path,
    tag,
    summary: 'Request access to an app',
    description:
      'A person requests access to an app of audience `people` for themselves, for a time. Each has at most one ' +
      'pending request for an app, and makes at most 20 a day. A request that nobody decides expires after two weeks.',
    operation: 'account:manage',
    noStepUp: 'it has no effect until somebody else approves it',
    action: 'access_request.create',
    body: 'accessRequest',
    bodies: {
      week: {
        summary: 'For a week',
        value: { app: example.app, reason: example.reason, durationSeconds: example.durationSeconds },
      },
    },
    status: 201,
    response: 'The access request is pending',
    member: 'accessRequest',
    example,
    targets: ({ body }) => [appTarget(body.app)],
  }),
  http(approveAccessRequest, {
    id: 'approveAccessRequest',
    method: 'POST',
    path: `${path}/{id}/approve`,
    tag,
    summary: 'Approve an access request',
    description:
      'Creates an assignment of the person to the app that ends by itself. Nobody approves their own request. Of ' +
      'several decisions one is made: the others get 409, which says what has become of the request. The body may be ' +
      'left out.',
    operation: 'access_requests:approve',
    stepUp: true,
    action: 'access_request.approve',
    body: 'approval',
    bodies: {
      requested: { summary: 'For the requested time', value: {} },
      shorter: { summary: 'For a day', value: { durationSeconds: 86_400 } },
    },
    response: 'The access request is approved',
    member: 'accessRequest',
    example: approved,
    targets: targetsOf,
  }),
  http(denyAccessRequest, {
    id: 'denyAccessRequest',
    method: 'POST',
    path: `${path}/{id}/deny`,
    tag,
    summary: 'Deny an access request',
    description: 'The person reads the reason. Nobody denies their own request: they withdraw it.',
    operation: 'access_requests:approve',
    noStepUp: 'it gives nobody access',
    action: 'access_request.deny',
    body: 'denial',
    bodies: { because: { summary: 'With a reason', value: { reason: denied.decisionReason } } },
    response: 'The access request is denied',
    member: 'accessRequest',
    example: denied,
    targets: targetsOf,
  }),
  http(withdrawAccessRequest, {
    id: 'withdrawAccessRequest',
    method: 'POST',
    path: `${path}/{id}/withdraw`,
    tag,
    summary: 'Withdraw my access request',
    description: 'Only the person who made it, and only while it is pending.',
    operation: 'account:manage',
    noStepUp: 'it gives nobody access',
    action: 'access_request.withdraw',
    response: 'The access request is withdrawn',
    member: 'accessRequest',
    example: { ...example, status: 'withdrawn', decidedAt: decided.decidedAt },
    targets: targetsOf,
  }),
];

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  accessRequestSchema,
  approvalSchema,
  approveAccessRequest,
  createAccessRequest,
  denialSchema,
  denyAccessRequest,
  newAccessRequestSchema,
  shortId,
  uuid,
  withdrawAccessRequest,
  type AccessRequest,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { act } from '../groups/group-requests.js';
import { accessRequestExample, approvedExample, deniedExample } from './access-request-examples.js';

const tag = 'Admin API: access requests';
const path = '/o/{shortId}/api/admin/access-requests';
const params = z.strictObject({ shortId, id: uuid.describe('The access request') });
const bodyErrors = ['payload_too_large', 'unsupported_media_type'] as const;

const createEndpoint = endpoint({
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
  params: z.strictObject({ shortId }),
  body: newAccessRequestSchema,
  idempotent: true,
  responses: { 201: { description: 'The access request is pending', schema: accessRequestSchema } },
  errors: ['conflict', 'invalid_state', ...bodyErrors],
  examples: {
    body: {
      week: {
        summary: 'For a week',
        value: {
          app: accessRequestExample.app,
          reason: accessRequestExample.reason,
          durationSeconds: accessRequestExample.durationSeconds,
        },
      },
    },
    response: accessRequestExample,
  },
});

const approveEndpoint = endpoint({
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
  params,
  body: approvalSchema,
  idempotent: true,
  responses: { 200: { description: 'The access request is approved', schema: accessRequestSchema } },
  errors: ['unknown_access_request', 'own_request', 'invalid_state', ...bodyErrors],
  examples: {
    body: {
      requested: { summary: 'For the requested time', value: {} },
      shorter: { summary: 'For a day', value: { durationSeconds: 86_400 } },
    },
    response: approvedExample,
  },
});

const denyEndpoint = endpoint({
  id: 'denyAccessRequest',
  method: 'POST',
  path: `${path}/{id}/deny`,
  tag,
  summary: 'Deny an access request',
  description: 'The person reads the reason. Nobody denies their own request: they withdraw it.',
  operation: 'access_requests:approve',
  noStepUp: 'it gives nobody access',
  action: 'access_request.deny',
  params,
  body: denialSchema,
  idempotent: true,
  responses: { 200: { description: 'The access request is denied', schema: accessRequestSchema } },
  errors: ['unknown_access_request', 'own_request', 'invalid_state', ...bodyErrors],
  examples: {
    body: { because: { summary: 'With a reason', value: { reason: deniedExample.decisionReason } } },
    response: deniedExample,
  },
});

const withdrawEndpoint = endpoint({
  id: 'withdrawAccessRequest',
  method: 'POST',
  path: `${path}/{id}/withdraw`,
  tag,
  summary: 'Withdraw my access request',
  description: 'Only the person who made it, and only while it is pending.',
  operation: 'account:manage',
  noStepUp: 'it gives nobody access',
  action: 'access_request.withdraw',
  params,
  idempotent: true,
  responses: { 200: { description: 'The access request is withdrawn', schema: accessRequestSchema } },
  errors: ['unknown_access_request', 'invalid_state'],
  examples: { response: { ...accessRequestExample, status: 'withdrawn', decidedAt: '2026-11-21T09:41:12.345Z' } },
});

@Controller()
export class AccessDecisionsController {
  constructor(private readonly resources: Resources) {}

  @Route(createEndpoint)
  async create(
    @Input() input: InputOf<typeof createEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccessRequest> {
    const command = { accessRequest: input.body, ...keyOf(input) };
    const targets = [{ type: 'app' as const, id: input.body.app }];
    return (await act(this.resources, [request, reply], [createAccessRequest, command], targets)).accessRequest;
  }

  @Route(approveEndpoint)
  async approve(
    @Input() input: InputOf<typeof approveEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccessRequest> {
    const { id } = input.params;
    const command = { id, approval: input.body, ...keyOf(input) };
    return (await act(this.resources, [request, reply], [approveAccessRequest, command], targetsOf(id))).accessRequest;
  }

  @Route(denyEndpoint)
  async deny(
    @Input() input: InputOf<typeof denyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccessRequest> {
    const { id } = input.params;
    const command = { id, denial: input.body, ...keyOf(input) };
    return (await act(this.resources, [request, reply], [denyAccessRequest, command], targetsOf(id))).accessRequest;
  }

  @Route(withdrawEndpoint)
  async withdraw(
    @Input() input: InputOf<typeof withdrawEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AccessRequest> {
    const { id } = input.params;
    const command = { id, ...keyOf(input) };
    return (await act(this.resources, [request, reply], [withdrawAccessRequest, command], targetsOf(id))).accessRequest;
  }
}

/** A refusal of the handler has better targets, which replace these: it knows whose request it is. */
function targetsOf(id: string) {
  return [{ type: 'access_request' as const, id }];
}

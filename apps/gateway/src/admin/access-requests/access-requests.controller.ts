import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  accessRequestCursorSchema,
  accessRequestSchema,
  accessRequestStatuses,
  clientIdParameter,
  getAccessRequest,
  listAccessRequests,
  shortId,
  uuid,
  type AccessRequest,
} from '@holdfast/contracts';
import {
  endpoint,
  limitParameter,
  pageExample,
  pageSchema,
  pageTokenParameter,
  type InputOf,
} from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { personTarget, userParameter } from '../groups/group-requests.js';
import { accessRequestExample as example } from './access-request-examples.js';

const tag = 'Admin API: access requests';
const path = '/o/{shortId}/api/admin/access-requests';
const statusParameter = z.enum(accessRequestStatuses).optional().describe('Only requests with this status');
const limits = { limit: limitParameter, next_page_token: pageTokenParameter };
const pageOfRequests = pageSchema(accessRequestSchema).meta({ id: 'AccessRequestPage' });

const listEndpoint = endpoint({
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
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    status: statusParameter,
    user: userParameter.optional().describe('Only requests of this person'),
    app: clientIdParameter.optional().describe('Only requests for this app'),
    ...limits,
  }),
  responses: { 200: { description: 'A page of access requests', schema: pageOfRequests } },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(example) },
});

const listMineEndpoint = endpoint({
  id: 'listMyAccessRequests',
  method: 'GET',
  path: `${path}/mine`,
  tag,
  summary: 'List my access requests',
  description: 'Those of the calling person, newest first.',
  operation: 'account:manage',
  action: 'access_request.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({ status: statusParameter, ...limits }),
  responses: { 200: { description: 'A page of access requests', schema: pageOfRequests } },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(example) },
});

const getEndpoint = endpoint({
  id: 'getAccessRequest',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Get an access request',
  operation: 'access_requests:read',
  action: 'access_request.read',
  params: z.strictObject({ shortId, id: uuid.describe('The access request') }),
  responses: { 200: { description: 'The access request', schema: accessRequestSchema } },
  errors: ['unknown_access_request'],
  examples: { response: example },
});

@Controller()
export class AccessRequestsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listEndpoint)
  list(@Input() { query }: InputOf<typeof listEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { limit: _, next_page_token: __, ...filter } = query;
    if (filter.user !== undefined) request.requestContext.targets = [personTarget(filter.user)];
    return this.resources.list(request, query, accessRequestCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listAccessRequests, { ...filter, limit, ...(after && { after }) }, context),
    );
  }

  @Route(listMineEndpoint)
  mine(@Input() { query }: InputOf<typeof listMineEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { status } = query;
    const filter = { mine: true, ...(status && { status }) };
    return this.resources.list(request, query, accessRequestCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listAccessRequests, { ...filter, limit, ...(after && { after }) }, context),
    );
  }

  @Route(getEndpoint)
  get(
    @Input() { params: { id } }: InputOf<typeof getEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<AccessRequest> {
    return this.resources.read(request, getAccessRequest, { id }, ({ user }) => [
      { type: 'access_request', id, dataSubject: user },
      personTarget(user),
    ]);
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  assign,
  assigneeSchema,
  assignmentCursorSchema,
  assignmentSchema,
  clientIdParameter,
  listAssignments,
  shortId,
  unassign,
  uuid,
  type Assignment,
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
import { keyOf, Resources } from '../../requests/resources.js';
import { appTarget } from '../apps/app-requests.js';
import { act, groupId, groupParameter, userId, userParameter } from '../groups/group-requests.js';
import { assignmentExample as example } from './entitlement-examples.js';

const tag = 'Admin API: apps';
const operation = 'apps:manage';
const path = '/o/{shortId}/api/admin/apps/{clientId}/assignments';
const params = z.strictObject({ shortId, clientId: clientIdParameter });

const listAssignmentsEndpoint = endpoint({
  id: 'listAssignments',
  method: 'GET',
  path,
  tag,
  summary: 'List the assignments of an app',
  description:
    'The people and groups that are assigned to the app, newest first. Assignments that ended are not listed.',
  operation,
  action: 'assignment.list',
  params,
  query: z.strictObject({
    user: userParameter.optional().describe('Only assignments of this person'),
    group: groupParameter.optional().describe('Only the assignment of this group'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: {
    200: { description: 'A page of assignments', schema: pageSchema(assignmentSchema).meta({ id: 'AssignmentPage' }) },
  },
  errors: ['unknown_app', 'invalid_page_token'],
  examples: { response: pageExample(example) },
});

const createAssignmentEndpoint = endpoint({
  id: 'createAssignment',
  method: 'POST',
  path,
  tag,
  summary: 'Assign a person or a group to an app',
  description:
    'From now on the person, or every member of the group, can sign in to the app. The app must be of audience ' +
    '`people`. A deactivated person can be assigned: it has an effect once they are active.',
  operation,
  stepUp: true,
  action: 'assignment.create',
  params,
  body: assigneeSchema,
  idempotent: true,
  responses: { 201: { description: 'The person or group is assigned', schema: assignmentSchema } },
  errors: ['unknown_app', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  examples: {
    body: {
      group: { summary: 'A group', value: { group: groupId } },
      person: { summary: 'A person', value: { user: userId } },
    },
    response: example,
  },
});

const deleteAssignmentEndpoint = endpoint({
  id: 'deleteAssignment',
  method: 'DELETE',
  path: `${path}/{assignment}`,
  tag,
  summary: 'End an assignment',
  description: 'People who have no other path to the app are signed out of it within a second.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'assignment.end',
  params: params.extend({ assignment: uuid.describe('The assignment: its `id`') }),
  idempotent: true,
  responses: { 204: { description: 'The assignment has ended' } },
  errors: ['unknown_app', 'unknown_assignment'],
});

@Controller()
export class AssignmentsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listAssignmentsEndpoint)
  list(@Input() input: InputOf<typeof listAssignmentsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { clientId } = input.params;
    request.requestContext.targets = [appTarget(clientId)];
    const { user, group } = input.query;
    const filter = { ...(user !== undefined && { user }), ...(group !== undefined && { group }) };
    const scoped = { ...input.query, clientId };
    return this.resources.list(request, scoped, assignmentCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listAssignments, { clientId, ...filter, limit, ...(after && { after }) }, context),
    );
  }

  @Route(createAssignmentEndpoint)
  async create(
    @Input() input: InputOf<typeof createAssignmentEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Assignment> {
    const { clientId } = input.params;
    const command = { clientId, assignee: input.body, ...keyOf(input) };
    const { assignment } = await act(this.resources, [request, reply], [assign, command], [appTarget(clientId)]);
    return assignment;
  }

  @Route(deleteAssignmentEndpoint)
  async delete(
    @Input() input: InputOf<typeof deleteAssignmentEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { clientId, assignment } = input.params;
    const command = { clientId, assignment, ...keyOf(input) };
    const targets = [appTarget(clientId), { type: 'assignment' as const, id: assignment }];
    await act(this.resources, [request, reply], [unassign, command], targets);
  }
}

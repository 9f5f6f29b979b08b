import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  createGroup,
  deleteGroup,
  getGroup,
  groupChangesSchema,
  groupCursorSchema,
  groupSchema,
  listGroups,
  newGroupSchema,
  shortId,
  updateGroup,
  type Group,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { endpoint, hasMember, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../requests/input.js';
import { limitParameter, pageExample, pageSchema, pageTokenParameter } from '../../requests/paging.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { act, groupId, groupTarget, groupParams as params } from './group-requests.js';

const tag = 'Admin API: groups';
const operation = 'groups:manage';
const path = '/o/{shortId}/api/admin/groups';
const bodyErrors = ['payload_too_large', 'unsupported_media_type'] as const;
const example: Group = {
  id: groupId,
  name: 'Support',
  description: 'Answers questions of customers',
  createdAt: '2026-11-21T09:30:00.000Z',
};

const listGroupsEndpoint = endpoint({
  id: 'listGroups',
  method: 'GET',
  path,
  tag,
  summary: 'List groups',
  description: 'The groups of the organization, newest first; with `q` by name.',
  operation,
  action: 'group.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    q: z
      .string()
      .min(1, 'must have 1 to 100 characters')
      .max(100, 'must have 1 to 100 characters')
      .refine((text) => !/\p{Cc}/u.test(text), 'must not have control characters')
      .optional()
      .describe('Only groups whose name begins so, upper or lower case'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: {
    200: {
      description: 'A page of groups',
      schema: pageSchema(groupSchema, 'Newest first; with `q` by name').meta({ id: 'GroupPage' }),
    },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(example) },
});

const createGroupEndpoint = endpoint({
  id: 'createGroup',
  method: 'POST',
  path,
  tag,
  summary: 'Create a group',
  description:
    'Creates a group without members. Groups give people access to apps to which the group is assigned; a group has ' +
    'no role. Two groups cannot have names that differ only in case, width or spacing.',
  operation,
  noStepUp: 'an empty group gives nobody access',
  action: 'group.create',
  params: z.strictObject({ shortId }),
  body: newGroupSchema,
  idempotent: true,
  responses: {
    201: {
      description: 'The group is created',
      schema: groupSchema,
      headers: { Location: 'Address of the group' },
    },
  },
  errors: ['conflict', ...bodyErrors],
  examples: {
    body: { named: { summary: 'A group', value: { name: example.name, description: example.description } } },
    response: example,
  },
});

const getGroupEndpoint = endpoint({
  id: 'getGroup',
  method: 'GET',
  path: `${path}/{group}`,
  tag,
  summary: 'Get a group',
  operation,
  action: 'group.read',
  params,
  responses: { 200: { description: 'The group', schema: groupSchema } },
  errors: ['unknown_group'],
  examples: { response: example },
});

const updateGroupEndpoint = endpoint({
  id: 'updateGroup',
  method: 'PATCH',
  path: `${path}/{group}`,
  tag,
  summary: 'Rename or describe a group',
  description: 'Changes only the given members. Tokens issued from now on have the new name.',
  operation,
  // Tokens have the names of groups, and apps may derive rights from them.
  stepUp: (json) => hasMember(json, 'name'),
  action: 'group.update',
  params,
  body: groupChangesSchema,
  idempotent: true,
  responses: { 200: { description: 'The group as it is now', schema: groupSchema } },
  errors: ['unknown_group', 'conflict', ...bodyErrors],
  examples: {
    body: {
      renamed: { summary: 'Another name', value: { name: 'Customer support' } },
      undescribed: { summary: 'Without description', value: { description: null } },
    },
    response: example,
  },
});

const deleteGroupEndpoint = endpoint({
  id: 'deleteGroup',
  method: 'DELETE',
  path: `${path}/{group}`,
  tag,
  summary: 'Delete a group',
  description:
    'Ends its memberships and its assignments: people who could use an app only through the group are signed out ' +
    'of it within a second. Each membership and assignment that ends has an event.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'group.delete',
  params,
  idempotent: true,
  responses: { 204: { description: 'The group is deleted' } },
  errors: ['unknown_group'],
});

@Controller()
export class GroupsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listGroupsEndpoint)
  list(@Input() { query }: InputOf<typeof listGroupsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { q } = query;
    return this.resources.list(request, query, groupCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listGroups, { limit, ...(q !== undefined && { q }), ...(after && { after }) }, context),
    );
  }

  @Route(createGroupEndpoint)
  async create(
    @Input() input: InputOf<typeof createGroupEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Group> {
    const command = { group: input.body, ...keyOf(input) };
    const { group } = await act(this.resources, [request, reply], [createGroup, command], []);
    request.requestContext.targets = [groupTarget(group.id)];
    void reply.header('location', `/o/${input.params.shortId}/api/admin/groups/${group.id}`);
    return group;
  }

  @Route(getGroupEndpoint)
  get(
    @Input() { params: { group } }: InputOf<typeof getGroupEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<Group> {
    // Before the read, so that the record of a refused one names it too.
    const targets = (request.requestContext.targets = [groupTarget(group)]);
    return this.resources.read(request, getGroup, { group }, () => targets);
  }

  @Route(updateGroupEndpoint)
  async update(
    @Input() input: InputOf<typeof updateGroupEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Group> {
    const { group: id } = input.params;
    const command = { group: id, changes: input.body, ...keyOf(input) };
    const { group } = await act(this.resources, [request, reply], [updateGroup, command], [groupTarget(id)]);
    return group;
  }

  @Route(deleteGroupEndpoint)
  async delete(
    @Input() input: InputOf<typeof deleteGroupEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { group } = input.params;
    await act(this.resources, [request, reply], [deleteGroup, { group, ...keyOf(input) }], [groupTarget(group)]);
  }
}

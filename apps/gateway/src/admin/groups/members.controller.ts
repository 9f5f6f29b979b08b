import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  addGroupMembers,
  groupMemberSchema,
  groupOfPersonSchema,
  listGroupMembers,
  listGroupsOfPerson,
  maxMembersPerRequest,
  membershipCursorSchema,
  membersSchema,
  removeGroupMembers,
  shortId,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../requests/input.js';
import { limitParameter, pageExample, pageSchema, pageTokenParameter } from '../../requests/paging.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { act, groupId, groupParams, groupTarget, personTarget, userId, userParameter } from './group-requests.js';

const tag = 'Admin API: groups';
const operation = 'groups:manage';
const path = '/o/{shortId}/api/admin/groups/{group}/members';
const query = z.strictObject({ limit: limitParameter, next_page_token: pageTokenParameter });
const addedAt = '2026-11-21T09:30:00.000Z';
const several = {
  several: { summary: 'Two people', value: { users: [userId, '0b6c1d52-8f0e-4a39-9a35-6d3c1f5d7a11'] } },
};
const bodyErrors = ['unknown_group', 'payload_too_large', 'unsupported_media_type'] as const;
const changedSchema = z
  .strictObject({ changed: z.int().describe('How many people were not so already') })
  .meta({ id: 'GroupMembersChanged' });

const listMembersEndpoint = endpoint({
  id: 'listGroupMembers',
  method: 'GET',
  path,
  tag,
  summary: 'List the members of a group',
  description: 'Latest member first. `users:read` reads who they are.',
  operation,
  action: 'group.member.list',
  params: groupParams,
  query,
  responses: {
    200: { description: 'A page of members', schema: pageSchema(groupMemberSchema).meta({ id: 'GroupMemberPage' }) },
  },
  errors: ['unknown_group', 'invalid_page_token'],
  examples: { response: pageExample({ user: userId, addedAt }) },
});

const addMembersEndpoint = endpoint({
  id: 'addGroupMembers',
  method: 'POST',
  path,
  tag,
  summary: 'Add people to a group',
  description:
    `Adds up to ${maxMembersPerRequest} people, all of them or none: 422 names those who do not exist by their place ` +
    'in the list. A person who is a member already is no error.',
  operation,
  stepUp: true,
  action: 'group.member.add',
  params: groupParams,
  body: membersSchema,
  idempotent: true,
  responses: { 200: { description: 'They are members', schema: changedSchema } },
  errors: [...bodyErrors],
  examples: { body: several, response: { changed: 2 } },
});

const removeMembersEndpoint = endpoint({
  id: 'removeGroupMembers',
  method: 'POST',
  path: `${path}/remove`,
  tag,
  summary: 'Remove people from a group',
  description:
    `Removes up to ${maxMembersPerRequest} people, all of them or none: 422 names those who do not exist by their ` +
    'place in the list. A person who is no member is no error. People who could use an app only through the ' +
    'group are signed out of it within a second.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'group.member.remove',
  params: groupParams,
  body: membersSchema,
  idempotent: true,
  responses: { 200: { description: 'They are no members', schema: changedSchema } },
  errors: [...bodyErrors],
  examples: { body: several, response: { changed: 2 } },
});

const listGroupsOfUserEndpoint = endpoint({
  id: 'listGroupsOfUser',
  method: 'GET',
  path: '/o/{shortId}/api/admin/users/{user}/groups',
  tag,
  summary: 'List the groups of a person',
  description: 'Latest membership first.',
  operation,
  action: 'group.member.list',
  params: z.strictObject({ shortId, user: userParameter }),
  query,
  responses: {
    200: { description: 'A page of groups', schema: pageSchema(groupOfPersonSchema).meta({ id: 'GroupOfUserPage' }) },
  },
  errors: ['unknown_user', 'invalid_page_token'],
  examples: { response: pageExample({ group: groupId, name: 'Support', addedAt }) },
});

@Controller()
export class MembersController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listMembersEndpoint)
  list(@Input() input: InputOf<typeof listMembersEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { group } = input.params;
    request.requestContext.targets = [groupTarget(group)];
    const scoped = { ...input.query, group };
    return this.resources.list(request, scoped, membershipCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listGroupMembers, { group, limit, ...(after && { after }) }, context),
    );
  }

  @Route(listGroupsOfUserEndpoint)
  groups(@Input() input: InputOf<typeof listGroupsOfUserEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { user } = input.params;
    request.requestContext.targets = [personTarget(user)];
    const scoped = { ...input.query, user };
    return this.resources.list(request, scoped, membershipCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listGroupsOfPerson, { user, limit, ...(after && { after }) }, context),
    );
  }

  @Route(addMembersEndpoint)
  add(
    @Input() input: InputOf<typeof addMembersEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ changed: number }> {
    return this.change(addGroupMembers, input, request, reply);
  }

  @Route(removeMembersEndpoint)
  remove(
    @Input() input: InputOf<typeof removeMembersEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<{ changed: number }> {
    return this.change(removeGroupMembers, input, request, reply);
  }

  /** A refused request has the group as its target: its people are in no record unless they were changed. */
  private change(
    contract: typeof addGroupMembers | typeof removeGroupMembers,
    input: InputOf<typeof addMembersEndpoint>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<{ changed: number }> {
    const { group } = input.params;
    const command = { group, users: input.body.users, ...keyOf(input) };
    return act(this.resources, [request, reply], [contract, command], [groupTarget(group)]);
  }
}

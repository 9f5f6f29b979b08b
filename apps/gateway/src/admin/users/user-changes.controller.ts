import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  changeRoles,
  personPatchSchema,
  personRoles,
  removePerson,
  setPersonActive,
  updatePerson,
  userSchema,
  type User,
} from '@holdfast/contracts';
import { endpoint, hasMember, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { userExample } from './user-examples.js';
import { bodyErrors, tag, targetsOfRepeat, userParams } from './user-requests.js';

const operation = 'users:manage';
const ownerNote = 'Only owners do this to an owner.';

const updateUserEndpoint = endpoint({
  id: 'updateUser',
  method: 'PATCH',
  path: '/o/{shortId}/api/admin/users/{user}',
  tag,
  summary: 'Change the e-mail address or name of a person',
  description: `Changes the given members only. ${ownerNote}`,
  operation,
  // Apps recognize people by the address in their tokens.
  stepUp: (json) => hasMember(json, 'email'),
  action: 'user.update',
  params: userParams,
  body: personPatchSchema,
  idempotent: true,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user', 'insufficient_role', 'conflict', ...bodyErrors],
  examples: {
    body: { name: { summary: 'Another name', value: { name: 'Ann Lee-Novak' } } },
    response: { ...userExample, name: 'Ann Lee-Novak' },
  },
});

const deactivateUserEndpoint = endpoint({
  id: 'deactivateUser',
  method: 'POST',
  path: '/o/{shortId}/api/admin/users/{user}/deactivate',
  tag,
  summary: 'Deactivate a person',
  description:
    'Sessions and tokens of the person end within a second, and they cannot sign in until they are reactivated. An ' +
    `open invitation link is withdrawn. ${ownerNote} The last active owner cannot be deactivated.`,
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'user.deactivate',
  params: userParams,
  idempotent: true,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user', 'insufficient_role', 'last_owner'],
  examples: { response: { ...userExample, status: 'deactivated' } },
});

const reactivateUserEndpoint = endpoint({
  id: 'reactivateUser',
  method: 'POST',
  path: '/o/{shortId}/api/admin/users/{user}/reactivate',
  tag,
  summary: 'Reactivate a person',
  description:
    'The person can sign in again with their passkeys, with the same roles, groups and assignments. ' +
    'Somebody who never ' +
    `accepted an invitation is invited again, and needs a new link. ${ownerNote}`,
  operation,
  stepUp: true,
  action: 'user.reactivate',
  params: userParams,
  idempotent: true,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user', 'insufficient_role'],
  examples: { response: userExample },
});

const changeRolesEndpoint = endpoint({
  id: 'changeUserRoles',
  method: 'POST',
  path: '/o/{shortId}/api/admin/users/{user}/roles',
  tag,
  summary: 'Change the roles of a person',
  description:
    'Replaces all roles. Owners give and take every role, admins every role but `owner`, and nobody gives themselves ' +
    'one. The last active owner stays one. With fewer rights, platform tokens from before are refused within a second.',
  operation: 'roles:manage',
  stepUp: true,
  action: 'role.change',
  params: userParams,
  body: z
    .strictObject({ roles: personRoles.describe('All roles of the person from now on') })
    .meta({ id: 'UserRoles' }),
  idempotent: true,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user', 'insufficient_role', 'last_owner', ...bodyErrors],
  examples: {
    body: {
      approver: { summary: 'An approver', value: { roles: ['approver'] } },
      none: { summary: 'No role', value: { roles: [] } },
    },
    response: { ...userExample, roles: ['approver'] },
  },
});

const removeUserEndpoint = endpoint({
  id: 'removeUser',
  method: 'DELETE',
  path: '/o/{shortId}/api/admin/users/{user}',
  tag,
  summary: 'Remove a person',
  description:
    'Removes the person and erases their personal data. The audit log names a pseudonym instead. ' +
    'A repeat gets 404, or ' +
    `204 again with the same Idempotency-Key. ${ownerNote} The last active owner cannot be removed.`,
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'user.remove',
  params: userParams,
  idempotent: true,
  responses: { 204: { description: 'The person is removed' } },
  errors: ['unknown_user', 'insufficient_role', 'last_owner'],
});

type ById = InputOf<typeof deactivateUserEndpoint>;

@Controller()
export class UserChangesController {
  constructor(private readonly resources: Resources) {}

  @Route(updateUserEndpoint)
  async update(
    @Input() input: InputOf<typeof updateUserEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    const command = { person: input.params.user, ...input.body, ...keyOf(input) };
    return (await this.resources.act(request, reply, updatePerson, command, targetsOfRepeat)).user;
  }

  @Route(deactivateUserEndpoint)
  deactivate(
    @Input() input: ById,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    return this.setActive(input, false, request, reply);
  }

  @Route(reactivateUserEndpoint)
  reactivate(
    @Input() input: ById,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    return this.setActive(input, true, request, reply);
  }

  @Route(changeRolesEndpoint)
  async changeRoles(
    @Input() input: InputOf<typeof changeRolesEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<User> {
    const command = { person: input.params.user, roles: input.body.roles, ...keyOf(input) };
    return (await this.resources.act(request, reply, changeRoles, command, targetsOfRepeat)).user;
  }

  @Route(removeUserEndpoint)
  async remove(
    @Input() input: ById,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const command = { person: input.params.user, ...keyOf(input) };
    await this.resources.act(request, reply, removePerson, command, targetsOfRepeat);
  }

  private async setActive(input: ById, active: boolean, request: FastifyRequest, reply: FastifyReply): Promise<User> {
    const command = { person: input.params.user, active, ...keyOf(input) };
    return (await this.resources.act(request, reply, setPersonActive, command, targetsOfRepeat)).user;
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  getPerson,
  invitationRequestSchema,
  invitedSchema,
  invitePerson,
  listPeople,
  personCursorSchema,
  personSearch,
  personStatuses,
  roleNames,
  shortId,
  userSchema,
  uuid,
  type User,
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
import { invitationExample, userExample } from './user-examples.js';
import { bodyErrors, tag, targetsOfRepeat, userParams, userTarget } from './user-requests.js';

const listUsersEndpoint = endpoint({
  id: 'listUsers',
  method: 'GET',
  path: '/o/{shortId}/api/admin/users',
  tag,
  summary: 'List people',
  description:
    'The people of the organization, newest first; with `group`, its latest member first. ' +
    'With several filters a page ' +
    'may have fewer people than `limit`, or none, and another page follows: each page looks at a bounded number of ' +
    'people.',
  operation: 'users:read',
  action: 'user.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    status: z.enum(personStatuses).optional().describe('Only people with this status'),
    role: z.enum(roleNames).optional().describe('Only people with this role'),
    group: uuid.optional().describe('Only members of this group'),
    q: personSearch
      .optional()
      .describe(
        'Only people of whose name a word, or whose e-mail address, begins so, upper or lower case. ' +
          'Each word needs 2 ' +
          'to 20 characters, or must be complete; all must be found',
      ),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: { 200: { description: 'A page of people', schema: pageSchema(userSchema).meta({ id: 'UserPage' }) } },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(userExample) },
});

const getUserEndpoint = endpoint({
  id: 'getUser',
  method: 'GET',
  path: '/o/{shortId}/api/admin/users/{user}',
  tag,
  summary: 'Get a person',
  description: 'A person of the organization.',
  operation: 'users:read',
  action: 'user.read',
  params: userParams,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user'],
  examples: { response: userExample },
});

const inviteUserEndpoint = endpoint({
  id: 'inviteUser',
  method: 'POST',
  path: '/o/{shortId}/api/admin/users',
  tag,
  summary: 'Invite a person',
  description:
    'Adds a person, who becomes active by opening the link of the response and making a passkey. Holdfast sends no ' +
    'e-mail: hand the link to the person. Only owners invite an owner.',
  operation: 'users:manage',
  stepUp: true,
  action: 'user.invite',
  params: z.strictObject({ shortId }),
  body: invitationRequestSchema,
  idempotent: true,
  responses: {
    201: {
      description: 'The person is invited',
      schema: invitedSchema,
      headers: { Location: 'Address of the person' },
    },
  },
  errors: ['insufficient_role', 'conflict', ...bodyErrors],
  examples: {
    body: {
      admin: {
        summary: 'An admin',
        value: { email: 'ann@example.com', name: 'Ann Lee', roles: ['admin'], expiresIn: 259200 },
      },
      colleague: { summary: 'Somebody without a role', value: { email: 'bo@example.com', name: 'Bo' } },
    },
    response: invitationExample,
  },
});

@Controller()
export class UsersController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listUsersEndpoint)
  list(@Input() { query }: InputOf<typeof listUsersEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { limit: _, next_page_token: __, ...filter } = query;
    return this.resources.list(request, query, personCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listPeople, { ...filter, limit, ...(after && { after }) }, context),
    );
  }

  @Route(getUserEndpoint)
  get(@Input() { params: { user } }: InputOf<typeof getUserEndpoint>, @Req() request: FastifyRequest): Promise<User> {
    return this.resources.read(request, getPerson, { person: user }, () => [userTarget(user)]);
  }

  @Route(inviteUserEndpoint)
  async invite(
    @Input() input: InputOf<typeof inviteUserEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const command = { ...input.body, ...keyOf(input) };
    const invited = await this.resources.act(request, reply, invitePerson, command, targetsOfRepeat);
    void reply.header('location', `/o/${input.params.shortId}/api/admin/users/${invited.user.id}`);
    return invited;
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { invitedSchema, linkRequestSchema, reissueInvitation, withdrawInvitation } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { invitationExample, userExample } from './user-examples.js';
import { bodyErrors, tag, targetsOfRepeat, userParams } from './user-requests.js';

const path = '/o/{shortId}/api/admin/users/{user}/invitation';
const operation = 'users:manage';

const reissueInvitationEndpoint = endpoint({
  id: 'reissueInvitation',
  method: 'POST',
  path,
  tag,
  summary: 'Issue a new link',
  description:
    'To an invited person instead of the earlier link, which ends. To an active one for a recovery: accepting it ' +
    'replaces all passkeys and ends all sessions and tokens; until then the passkeys still sign in. ' +
    'Only owners issue ' +
    'a link to an owner.',
  operation,
  // A link for an active person lets anybody who has it take their place.
  stepUp: true,
  action: 'user.invite',
  params: userParams,
  body: linkRequestSchema,
  idempotent: true,
  responses: { 201: { description: 'The new link', schema: invitedSchema } },
  errors: ['unknown_user', 'insufficient_role', 'invalid_state', ...bodyErrors],
  examples: {
    body: {
      usual: { summary: 'With the usual lifetime', value: {} },
      day: { summary: 'For a day', value: { expiresIn: 86400 } },
    },
    response: {
      user: { ...userExample, invitation: { expiresAt: '2026-11-25T09:30:00.000Z', recovery: true } },
      invitationUrl: invitationExample.invitationUrl,
    },
  },
});

const withdrawInvitationEndpoint = endpoint({
  id: 'withdrawInvitation',
  method: 'DELETE',
  path,
  tag,
  summary: 'Withdraw the link',
  description:
    'Ends the open link of a person. An invited person stays invited. Only owners withdraw that of an owner.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'user.withdraw_invitation',
  params: userParams,
  idempotent: true,
  responses: { 204: { description: 'The link is withdrawn' } },
  errors: ['unknown_user', 'insufficient_role', 'invalid_state'],
});

@Controller()
export class UserInvitationsController {
  constructor(private readonly resources: Resources) {}

  @Route(reissueInvitationEndpoint)
  reissue(
    @Input() input: InputOf<typeof reissueInvitationEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const command = { person: input.params.user, ...input.body, ...keyOf(input) };
    return this.resources.act(request, reply, reissueInvitation, command, targetsOfRepeat);
  }

  @Route(withdrawInvitationEndpoint)
  async withdraw(
    @Input() input: InputOf<typeof withdrawInvitationEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const command = { person: input.params.user, ...keyOf(input) };
    await this.resources.act(request, reply, withdrawInvitation, command, targetsOfRepeat);
  }
}

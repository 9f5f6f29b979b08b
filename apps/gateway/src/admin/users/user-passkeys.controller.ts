import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  listPersonPasskeys,
  passkeySchema,
  removePersonPasskey,
  renamePersonPasskey,
  type UserPasskey,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { passkeyListSchema, passkeyNameSchema } from './passkey-schemas.js';
import { passkeyExample } from './user-examples.js';
import { bodyErrors, passkeyParams, tag, targetsOfRepeat, userParams, userTarget } from './user-requests.js';

const ownerNote = 'Only owners do this to an owner.';

const listPasskeysEndpoint = endpoint({
  id: 'listUserPasskeys',
  method: 'GET',
  path: '/o/{shortId}/api/admin/users/{user}/passkeys',
  tag,
  summary: 'List the passkeys of a person',
  description: 'All passkeys of the person, oldest first; there are 20 at most.',
  operation: 'users:read',
  action: 'passkey.list',
  params: userParams,
  responses: { 200: { description: 'The passkeys', schema: passkeyListSchema } },
  errors: ['unknown_user'],
  examples: { response: { items: [passkeyExample] } },
});

const renamePasskeyEndpoint = endpoint({
  id: 'renameUserPasskey',
  method: 'PATCH',
  path: '/o/{shortId}/api/admin/users/{user}/passkeys/{passkey}',
  tag,
  summary: 'Rename a passkey of a person',
  description: `Changes the name by which people recognize the passkey. ${ownerNote}`,
  operation: 'users:manage',
  noStepUp: 'a passkey is recognized by its key: its name gives no rights',
  action: 'passkey.rename',
  params: passkeyParams,
  body: passkeyNameSchema,
  idempotent: true,
  responses: { 200: { description: 'The passkey', schema: passkeySchema } },
  errors: ['unknown_user', 'unknown_passkey', 'insufficient_role', ...bodyErrors],
  examples: { body: { name: { summary: 'A name', value: { name: 'Work laptop' } } }, response: passkeyExample },
});

const removePasskeyEndpoint = endpoint({
  id: 'removeUserPasskey',
  method: 'DELETE',
  path: '/o/{shortId}/api/admin/users/{user}/passkeys/{passkey}',
  tag,
  summary: 'Remove a passkey of a person',
  description:
    'Ends all sessions and tokens of the person. The only passkey of an active person cannot be removed: recover or ' +
    `deactivate the person. ${ownerNote}`,
  operation: 'users:manage',
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'passkey.remove',
  params: passkeyParams,
  idempotent: true,
  responses: { 204: { description: 'The passkey is removed' } },
  errors: ['unknown_user', 'unknown_passkey', 'insufficient_role', 'invalid_state'],
});

@Controller()
export class UserPasskeysController {
  constructor(private readonly resources: Resources) {}

  @Route(listPasskeysEndpoint)
  list(
    @Input() { params: { user } }: InputOf<typeof listPasskeysEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    return this.resources.read(request, listPersonPasskeys, { person: user }, () => [userTarget(user)]);
  }

  @Route(renamePasskeyEndpoint)
  async rename(
    @Input() input: InputOf<typeof renamePasskeyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserPasskey> {
    const { user: person, passkey } = input.params;
    const command = { person, passkey, ...input.body, ...keyOf(input) };
    return (await this.resources.act(request, reply, renamePersonPasskey, command, targetsOfRepeat)).passkey;
  }

  @Route(removePasskeyEndpoint)
  async remove(
    @Input() input: InputOf<typeof removePasskeyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { user: person, passkey } = input.params;
    await this.resources.act(
      request,
      reply,
      removePersonPasskey,
      { person, passkey, ...keyOf(input) },
      targetsOfRepeat,
    );
  }
}

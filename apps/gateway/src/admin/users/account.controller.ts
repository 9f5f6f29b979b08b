import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginPasskeyAddition,
  completePasskeyAddition,
  getPerson,
  listPersonPasskeys,
  passkeyName,
  passkeySchema,
  removePersonPasskey,
  renamePersonPasskey,
  shortId,
  userSchema,
  uuid,
  webAuthnJson,
  type User,
  type UserPasskey,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OrganizationProfiles } from '../../access/organization-profiles.js';
import { registrationExample } from '../../claim/registration-example.js';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import { passkeyListSchema, passkeyNameSchema } from './passkey-schemas.js';
import { passkeyExample, userExample } from './user-examples.js';
import { bodyErrors, targetsOfRepeat, userTarget } from './user-requests.js';

const tag = 'Admin API: own account';
const operation = 'account:manage';
const base = '/o/{shortId}/api/admin/users/me';
const params = z.strictObject({ shortId });
const passkeyParams = params.extend({ passkey: uuid.describe('The passkey') });

const getAccountEndpoint = endpoint({
  id: 'getOwnAccount',
  method: 'GET',
  path: base,
  tag,
  summary: 'Get the own account',
  description: 'The person whose token this is.',
  operation,
  action: 'user.read',
  params,
  responses: { 200: { description: 'The person', schema: userSchema } },
  errors: ['unknown_user'],
  examples: { response: userExample },
});

const listOwnPasskeysEndpoint = endpoint({
  id: 'listOwnPasskeys',
  method: 'GET',
  path: `${base}/passkeys`,
  tag,
  summary: 'List the own passkeys',
  description: 'All passkeys of the person whose token this is, oldest first; there are 20 at most.',
  operation,
  action: 'passkey.list',
  params,
  responses: { 200: { description: 'The passkeys', schema: passkeyListSchema } },
  errors: ['unknown_user'],
  examples: { response: { items: [passkeyExample] } },
});

const passkeyOptionsEndpoint = endpoint({
  id: 'getOwnPasskeyOptions',
  method: 'POST',
  path: `${base}/passkeys/options`,
  tag,
  summary: 'Begin to add a passkey',
  description:
    'Options for `navigator.credentials.create()`, valid for five minutes, one response and this person. ' +
    'A repeat gets ' +
    'new options.',
  operation,
  noStepUp: 'the passkey is added by the second request, which needs the sign-in',
  action: 'passkey.begin',
  params,
  idempotent: true,
  responses: {
    200: {
      description: 'The options',
      schema: z
        .strictObject({
          options: webAuthnJson.describe('PublicKeyCredentialCreationOptionsJSON (WebAuthn Level 3 §5.1.9)'),
        })
        .meta({ id: 'PasskeyOptions' }),
    },
  },
  errors: ['unknown_user', 'invalid_state'],
  examples: {
    response: {
      options: {
        rp: { id: 'id.example', name: 'Acme' },
        challenge: 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG',
        user: { id: 'n7Yw0g', name: 'Acme · 7F3K', displayName: '' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
    },
  },
});

const addPasskeyEndpoint = endpoint({
  id: 'addOwnPasskey',
  method: 'POST',
  path: `${base}/passkeys`,
  tag,
  summary: 'Add a passkey',
  description: 'Stores the passkey that the browser has created with the options.',
  operation,
  stepUp: true,
  action: 'passkey.add',
  params,
  body: z
    .strictObject({
      response: webAuthnJson.describe('RegistrationResponseJSON (WebAuthn Level 3 §5.1.8) of the authenticator'),
      name: passkeyName.optional().describe("That of the passkey's provider when left out"),
    })
    .meta({ id: 'NewPasskey' }),
  idempotent: true,
  responses: { 201: { description: 'The passkey is added', schema: passkeySchema } },
  errors: ['unknown_user', 'invalid_state', 'ceremony_expired', 'passkey_invalid', ...bodyErrors],
  examples: {
    body: {
      named: { summary: 'With a name', value: { response: registrationExample, name: 'Work laptop' } },
    },
    response: passkeyExample,
  },
});

const renameOwnPasskeyEndpoint = endpoint({
  id: 'renameOwnPasskey',
  method: 'PATCH',
  path: `${base}/passkeys/{passkey}`,
  tag,
  summary: 'Rename an own passkey',
  description: 'Changes the name by which the person recognizes the passkey.',
  operation,
  noStepUp: 'a passkey is recognized by its key: its name gives no rights',
  action: 'passkey.rename',
  params: passkeyParams,
  body: passkeyNameSchema,
  idempotent: true,
  responses: { 200: { description: 'The passkey', schema: passkeySchema } },
  errors: ['unknown_user', 'unknown_passkey', ...bodyErrors],
  examples: { body: { name: { summary: 'A name', value: { name: 'Work laptop' } } }, response: passkeyExample },
});

const removeOwnPasskeyEndpoint = endpoint({
  id: 'removeOwnPasskey',
  method: 'DELETE',
  path: `${base}/passkeys/{passkey}`,
  tag,
  summary: 'Remove an own passkey',
  description:
    'Ends all sessions and tokens of the person, this one included: which of them began with this passkey is not ' +
    'stored. The only passkey cannot be removed: add another one first.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'passkey.remove',
  params: passkeyParams,
  idempotent: true,
  responses: { 204: { description: 'The passkey is removed' } },
  errors: ['unknown_user', 'unknown_passkey', 'invalid_state'],
});

/** What a person does with their own account. The token says who they are. */
@Controller()
export class AccountController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
    private readonly organizations: OrganizationProfiles,
  ) {}

  /** Reading the input refuses unknown parameters, here as everywhere. */
  @Route(getAccountEndpoint)
  get(@Input() _: InputOf<typeof getAccountEndpoint>, @Req() request: FastifyRequest): Promise<User> {
    const person = callerOf(request);
    return this.resources.read(request, getPerson, { person }, () => [userTarget(person)]);
  }

  @Route(listOwnPasskeysEndpoint)
  list(@Input() _: InputOf<typeof listOwnPasskeysEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const person = callerOf(request);
    return this.resources.read(request, listPersonPasskeys, { person }, () => [userTarget(person)]);
  }

  @Route(passkeyOptionsEndpoint)
  async begin(
    @Input() { params: { shortId } }: InputOf<typeof passkeyOptionsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { name, relyingParty } = await this.profile(shortId);
    request.requestContext.targets = [userTarget(callerOf(request))];
    const query = { organizationName: name, ...(relyingParty && { relyingParty }) };
    return this.bus.request(beginPasskeyAddition, query, contextOf(request));
  }

  @Route(addPasskeyEndpoint)
  async add(
    @Input() input: InputOf<typeof addPasskeyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserPasskey> {
    const { relyingParty } = await this.profile(input.params.shortId);
    const command = { ...input.body, ...keyOf(input), ...(relyingParty && { relyingParty }) };
    return (await this.resources.act(request, reply, completePasskeyAddition, command, targetsOfRepeat)).passkey;
  }

  @Route(renameOwnPasskeyEndpoint)
  async rename(
    @Input() input: InputOf<typeof renameOwnPasskeyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<UserPasskey> {
    const { passkey } = input.params;
    const command = { person: callerOf(request), passkey, ...input.body, ...keyOf(input) };
    return (await this.resources.act(request, reply, renamePersonPasskey, command, targetsOfRepeat)).passkey;
  }

  @Route(removeOwnPasskeyEndpoint)
  async remove(
    @Input() input: InputOf<typeof removeOwnPasskeyEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { passkey } = input.params;
    const command = { person: callerOf(request), passkey, ...keyOf(input) };
    await this.resources.act(request, reply, removePersonPasskey, command, targetsOfRepeat);
  }

  private async profile(shortId: string) {
    const organization = await this.organizations.find(shortId);
    if (!organization) throw new AppError('unknown_user');
    return organization;
  }
}

/** Only tokens of people hold `account:manage`. */
function callerOf(request: FastifyRequest): string {
  const { type, id } = contextOf(request).actor;
  if (type !== 'person') throw new AppError('unknown_user');
  return id;
}

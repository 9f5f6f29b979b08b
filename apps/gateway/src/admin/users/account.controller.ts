import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  beginPasskeyAddition,
  completePasskeyAddition,
  passkeyName,
  passkeySchema,
  shortId,
  webAuthnJson,
  type UserPasskey,
} from '@holdfast/contracts';
import { endpoint, passkeyExample, personTarget, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { OrganizationProfiles } from '../../access/organization-profiles.js';
import { registrationExample } from '../../claim/registration-example.js';
import { recordWithTargets } from '../../edge/recording.js';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';

const tag = 'Admin API: own account';
const operation = 'account:manage';
const base = '/o/{shortId}/api/admin/users/me';
const params = z.strictObject({ shortId });

const passkeyOptionsEndpoint = endpoint({
  id: 'getOwnPasskeyOptions',
  method: 'POST',
  path: `${base}/passkeys/options`,
  tag,
  summary: 'Begin to add a passkey',
  description:
    'Options for `navigator.credentials.create()`, valid for five minutes, one response and this person. A repeat ' +
    'gets new options.',
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
  errors: ['unknown_user', 'invalid_state', 'ceremony_expired', 'passkey_invalid'],
  examples: {
    body: {
      named: { summary: 'With a name', value: { response: registrationExample, name: 'Work laptop' } },
    },
    response: passkeyExample,
  },
});

/** Two requests each: a ceremony needs the organization's profile. */
@Controller()
export class AccountController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
    private readonly organizations: OrganizationProfiles,
  ) {}

  @Route(passkeyOptionsEndpoint)
  async begin(
    @Input() { params: { shortId } }: InputOf<typeof passkeyOptionsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { name, relyingParty } = await this.profile(shortId);
    recordWithTargets(request, [personTarget(callerOf(request))]);
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
    const targets = (person: string) => [personTarget(person)];
    return (await this.resources.act(request, reply, completePasskeyAddition, command, targets)).passkey;
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

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  credentialSchema,
  getIssued,
  reasonSchema,
  resumeCredential,
  revokeCredential,
  shortId,
  suspendCredential,
  uuid,
  type Credential,
} from '@holdfast/contracts';
import { endpoint, type Endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { keyOf, Resources } from '../requests/resources.js';
import { targetsOf } from './audit-targets.js';
import { credentialExample } from './credential-examples.js';

const tag = 'Customer credentials';
const params = z.strictObject({
  shortId,
  id: uuid.describe('The credential: `credentialId` of an offer, or `id` of a credential'),
});

const getIssuedEndpoint = endpoint({
  id: 'getIssued',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/issued/{id}',
  tag,
  summary: 'Get a credential',
  description: 'A credential of one of the customers that the calling app has made offers to.',
  operation: 'issued:read',
  action: 'credential.read',
  params,
  responses: { 200: { description: 'The credential', schema: credentialSchema } },
  errors: ['unknown_credential'],
  examples: { response: credentialExample },
});

const reasonExamples = {
  plain: { summary: 'Without a reason', value: {} },
  because: { summary: 'With a reason', value: { reason: 'lost_device' } },
};

const transition = (
  verb: 'suspend' | 'resume' | 'revoke',
  declared: Pick<Endpoint, 'summary' | 'description' | 'errors'>,
  response: Credential,
) =>
  endpoint({
    id: `${verb}Credential`,
    method: 'POST',
    path: `/o/{shortId}/api/credentials/issued/{id}/${verb}`,
    tag,
    summary: declared.summary,
    description: `${declared.description} The body may be left out.`,
    operation: 'issued:manage',
    action: `credential.${verb}`,
    params,
    body: reasonSchema,
    idempotent: true,
    responses: { 200: { description: 'The credential as it is now', schema: credentialSchema } },
    errors: [
      'unknown_credential',
      'invalid_state',
      ...(declared.errors ?? []),
      'payload_too_large',
      'unsupported_media_type',
    ],
    examples: { body: reasonExamples, response },
  });

const suspendCredentialEndpoint = transition(
  'suspend',
  {
    summary: 'Suspend a credential',
    description:
      'The customer cannot sign in until the credential is resumed. Their sessions are revoked, and an open offer of ' +
      'the credential is withdrawn.',
    errors: ['not_revocable'],
  },
  { ...credentialExample, status: 'suspended' },
);
const resumeCredentialEndpoint = transition(
  'resume',
  {
    summary: 'Resume a credential',
    description: 'The customer can sign in again. Revoked sessions and withdrawn offers are not restored.',
  },
  credentialExample,
);
const revokeCredentialEndpoint = transition(
  'revoke',
  {
    summary: 'Revoke a credential',
    description:
      'Final: a further offer to the customer creates another credential. An unclaimed credential can always be ' +
      'revoked, and its offer is withdrawn with it.',
    errors: ['not_revocable'],
  },
  {
    ...credentialExample,
    status: 'revoked',
    revokedAt: '2026-12-03T08:15:00.000Z',
    revokedReason: 'lost_device',
  },
);

@Controller()
export class IssuedController {
  constructor(private readonly resources: Resources) {}

  @Route(getIssuedEndpoint)
  get(
    @Input() { params: { id } }: InputOf<typeof getIssuedEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<Credential> {
    return this.resources.read(request, getIssued, { id }, ({ holderId }) => targetsOf('credential', id, holderId));
  }

  @Route(suspendCredentialEndpoint)
  suspend(
    @Input() input: InputOf<typeof suspendCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.change(suspendCredential, input, request, reply);
  }

  @Route(resumeCredentialEndpoint)
  resume(
    @Input() input: InputOf<typeof resumeCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.change(resumeCredential, input, request, reply);
  }

  @Route(revokeCredentialEndpoint)
  revoke(
    @Input() input: InputOf<typeof revokeCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.change(revokeCredential, input, request, reply);
  }

  private change(
    contract: typeof suspendCredential,
    input: InputOf<typeof suspendCredentialEndpoint>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Credential> {
    const { id } = input.params;
    const command = { id, ...input.body, ...keyOf(input) };
    return this.resources.act(request, reply, contract, command, (dataSubject) =>
      targetsOf('credential', id, dataSubject),
    );
  }
}

import { Controller, HttpCode, Req, Res } from '@nestjs/common';
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
  type AuditTarget,
  type Credential,
  type ErrorCode,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { contextOf } from '../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../endpoints/endpoint.js';
import { Input } from '../endpoints/input.js';
import { answered, keyOf } from '../endpoints/resources.js';

const tag = 'Customer credentials';
const params = z.strictObject({
  shortId,
  id: uuid.describe('The credential, as `credentialId` of an offer or `id` of a credential named it'),
});

export const getIssuedEndpoint = endpoint({
  id: 'getIssued',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/issued/{id}',
  tag,
  summary: 'Get a credential',
  description: 'A credential of one of the customers that the calling app has made offers to.',
  operation: 'issued:read',
  action: 'credential.read',
  params,
  answers: { 200: { description: 'The credential', schema: credentialSchema } },
  errors: ['unknown_credential'],
});

const manage = (act: 'suspend' | 'resume' | 'revoke', summary: string, description: string, errors: ErrorCode[]) =>
  endpoint({
    id: `${act}Credential`,
    method: 'POST',
    path: `/o/{shortId}/api/credentials/issued/{id}/${act}`,
    tag,
    summary,
    description: `${description} The body may be left out.`,
    operation: 'issued:manage',
    action: `credential.${act}`,
    params,
    body: reasonSchema,
    idempotent: true,
    answers: { 200: { description: 'The credential as it is now', schema: credentialSchema } },
    errors: ['unknown_credential', 'invalid_state', ...errors, 'payload_too_large', 'unsupported_media_type'],
  });

export const suspendCredentialEndpoint = manage(
  'suspend',
  'Suspend a credential',
  'Its holder can no longer sign in, sessions end, and an open offer of it is withdrawn, until it is resumed.',
  ['not_revocable'],
);
export const resumeCredentialEndpoint = manage(
  'resume',
  'Resume a credential',
  'Its holder can sign in again. What ended with the suspension stays ended.',
  [],
);
export const revokeCredentialEndpoint = manage(
  'revoke',
  'Revoke a credential',
  'For ever: a further offer to the customer makes another credential. One that nobody holds yet can always be revoked, and its offer goes with it.',
  ['not_revocable'],
);

@Controller()
export class IssuedController {
  constructor(private readonly bus: Bus) {}

  @Route(getIssuedEndpoint)
  async get(
    @Input() { params: { id } }: InputOf<typeof getIssuedEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<Credential> {
    const credential = await this.bus.request(getIssued, { id }, contextOf(request));
    request.call.targets = targetsOf(id, credential.holderId);
    return credential;
  }

  @Route(suspendCredentialEndpoint)
  @HttpCode(200)
  suspend(
    @Input() input: InputOf<typeof suspendCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.manage(suspendCredential, input, request, reply);
  }

  @Route(resumeCredentialEndpoint)
  @HttpCode(200)
  resume(
    @Input() input: InputOf<typeof resumeCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.manage(resumeCredential, input, request, reply);
  }

  @Route(revokeCredentialEndpoint)
  @HttpCode(200)
  revoke(
    @Input() input: InputOf<typeof revokeCredentialEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Credential> {
    return this.manage(revokeCredential, input, request, reply);
  }

  private async manage(
    contract: typeof suspendCredential,
    input: InputOf<typeof suspendCredentialEndpoint>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<Credential> {
    const {
      params: { id },
      body,
    } = input;
    const done = await this.bus.request(contract, { id, ...body, ...keyOf(input) }, contextOf(request));
    return answered(done, request, reply, (holder) => targetsOf(id, holder));
  }
}

function targetsOf(id: string, holder: string): AuditTarget[] {
  return [
    { type: 'credential', id, dataSubject: holder },
    { type: 'customer', id: holder, dataSubject: holder },
  ];
}

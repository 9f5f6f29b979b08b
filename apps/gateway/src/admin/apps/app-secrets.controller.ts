import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  adminCreateSecret,
  adminListSecrets,
  adminRevokeSecret,
  clientIdParameter,
  managedSecretSchema,
  newSecretSchema,
  secretIdParameter,
  shortId,
  type ManagedSecret,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { newSecretExample, secretExample } from './app-examples.js';
import { appTarget, commandOf, tag } from './app-requests.js';

const operation = 'apps:manage';
const params = z.strictObject({ shortId, clientId: clientIdParameter });

const listSecretsEndpoint = endpoint({
  id: 'listAppSecrets',
  method: 'GET',
  path: '/o/{shortId}/api/admin/apps/{clientId}/secrets',
  tag,
  summary: 'List the client secrets of an app',
  description: 'The valid client secrets of an app, two at most, newest first, without their values.',
  operation,
  action: 'app.secret.list',
  params,
  responses: {
    200: {
      description: 'The client secrets',
      schema: z
        .strictObject({ items: z.array(managedSecretSchema).describe('Newest first') })
        .meta({ id: 'ClientSecrets' }),
    },
  },
  errors: ['unknown_app'],
  examples: { response: { items: [secretExample] } },
});

const createSecretEndpoint = endpoint({
  id: 'createAppSecret',
  method: 'POST',
  path: '/o/{shortId}/api/admin/apps/{clientId}/secrets',
  tag,
  summary: 'Create a client secret',
  description:
    'Adds a client secret to an app that has one at most, so that secrets are rotated without downtime: create the ' +
    'second, deploy it, revoke the first. Only this response shows it. A program creates secrets only for apps that ' +
    'it made and that hold no scope.',
  operation,
  action: 'app.secret.create',
  stepUp: true,
  params,
  idempotent: true,
  responses: { 201: { description: 'The client secret is created', schema: newSecretSchema } },
  errors: ['unknown_app', 'app_protected', 'invalid_state'],
  examples: { response: newSecretExample },
});

const revokeSecretEndpoint = endpoint({
  id: 'revokeAppSecret',
  method: 'DELETE',
  path: '/o/{shortId}/api/admin/apps/{clientId}/secrets/{secretId}',
  tag,
  summary: 'Revoke a client secret',
  description: 'The client secret is no longer accepted. Tokens that were requested with it are refused in a second.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'app.secret.revoke',
  params: params.extend({ secretId: secretIdParameter }),
  idempotent: true,
  responses: { 204: { description: 'The client secret is revoked' } },
  errors: ['unknown_app', 'unknown_secret', 'app_protected'],
});

@Controller()
export class AppSecretsController {
  constructor(private readonly resources: Resources) {}

  @Route(listSecretsEndpoint)
  list(
    @Input() { params: { clientId } }: InputOf<typeof listSecretsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<{ items: ManagedSecret[] }> {
    return this.resources.read(request, adminListSecrets, { clientId }, () => [appTarget(clientId)]);
  }

  @Route(createSecretEndpoint)
  async create(
    @Input() input: InputOf<typeof createSecretEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedSecret> {
    const { clientId } = input.params;
    const command = { clientId, ...commandOf(request, input) };
    const { secret } = await this.resources.act(request, reply, adminCreateSecret, command, () => []);
    request.requestContext.targets = [appTarget(clientId), { type: 'secret', id: secret.id }];
    return secret;
  }

  @Route(revokeSecretEndpoint)
  async revoke(
    @Input() input: InputOf<typeof revokeSecretEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { clientId, secretId } = input.params;
    const command = { clientId, secretId, ...commandOf(request, input) };
    await this.resources.act(request, reply, adminRevokeSecret, command, () => []);
    request.requestContext.targets = [appTarget(clientId), { type: 'secret', id: secretId }];
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { adminChangeGrants, clientIdParameter, managedAppSchema, shortId, type ManagedApp } from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { appExample } from './app-examples.js';
import { commandOf, shown, tag } from './app-requests.js';

const operation = 'grants:manage';
const path = '/o/{shortId}/api/admin/apps/{clientId}/grants';
const params = z.strictObject({ shortId, clientId: clientIdParameter });
const operationName = z.string().min(1).max(64);

const grantEndpoint = endpoint({
  id: 'grantOperations',
  method: 'POST',
  path,
  tag,
  summary: 'Grant operations to an app',
  description:
    'For people only. Customer scopes go to `web` and `service` apps, operations of the Admin API to `service` apps; ' +
    'what is for people only goes to none. Client secrets that a program has seen must be replaced before.',
  operation,
  action: 'app.grant',
  stepUp: true,
  params,
  body: z
    .strictObject({
      operations: z.array(operationName).min(1).max(50).describe('Those that the app holds already stay as they are'),
    })
    .meta({ id: 'Grant' }),
  idempotent: true,
  versioned: true,
  responses: { 200: { description: 'The app as it is now', schema: managedAppSchema } },
  errors: [
    'unknown_app',
    'app_protected',
    'not_grantable',
    'invalid_state',
    'payload_too_large',
    'unsupported_media_type',
  ],
  examples: {
    body: { scopes: { summary: 'Two scopes', value: { operations: ['offers:write', 'issued:read'] } } },
    response: { ...appExample, scopes: ['issued:read', 'offers:write'], version: 2 },
  },
});

const ungrantEndpoint = endpoint({
  id: 'ungrantOperation',
  method: 'DELETE',
  path: `${path}/{operation}`,
  tag,
  summary: 'Take an operation from an app',
  description: 'For people only. Every access token of the app is refused within a second, since each may hold it.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'app.ungrant',
  params: params.extend({ operation: operationName.describe('The operation, whether or not the app holds it') }),
  idempotent: true,
  versioned: true,
  responses: { 200: { description: 'The app as it is now', schema: managedAppSchema } },
  errors: ['unknown_app', 'app_protected'],
  examples: { response: { ...appExample, version: 3 } },
});

@Controller()
export class AppGrantsController {
  constructor(private readonly resources: Resources) {}

  @Route(grantEndpoint)
  grant(
    @Input() input: InputOf<typeof grantEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    return this.change(true, input.body.operations, input, request, reply);
  }

  @Route(ungrantEndpoint)
  ungrant(
    @Input() input: InputOf<typeof ungrantEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    return this.change(false, [input.params.operation], input, request, reply);
  }

  private async change(
    granted: boolean,
    operations: string[],
    input: Pick<InputOf<typeof grantEndpoint>, 'params' | 'idempotencyKey' | 'ifVersions'>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ManagedApp> {
    const command = { clientId: input.params.clientId, granted, operations, ...commandOf(request, input) };
    const { app } = await this.resources.act(request, reply, adminChangeGrants, command, () => []);
    return shown(request, reply, app);
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  adminDeleteApp,
  adminDisableApp,
  adminUpdateApp,
  appPatchSchema,
  clientIdParameter,
  managedAppSchema,
  shortId,
  type ManagedApp,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { appExample } from './app-examples.js';
import { appTarget, commandOf, shown, tag } from './app-requests.js';

const operation = 'apps:manage';
const params = z.strictObject({ shortId, clientId: clientIdParameter });
const path = '/o/{shortId}/api/admin/apps/{clientId}';

const updateAppEndpoint = endpoint({
  id: 'updateApp',
  method: 'PATCH',
  path,
  tag,
  summary: 'Change an app',
  description:
    'Changes only the given members; null removes one, and a list replaces the earlier list. `kind` and `audience` ' +
    'never change. With `If-Match` nothing is changed unless the app still has that version. A program changes only ' +
    'apps that it made and that hold no scope. A change of a name or of a setting of sign-ins and sign-outs widens ' +
    'rights.',
  operation,
  action: 'app.update',
  stepUp: 'service decides',
  params,
  body: appPatchSchema,
  idempotent: true,
  versioned: true,
  responses: { 200: { description: 'The app as it is now', schema: managedAppSchema } },
  errors: ['unknown_app', 'app_protected', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  examples: {
    body: {
      uris: {
        summary: 'Another redirect URI',
        value: { redirectUris: ['https://shop.example/callback', 'https://shop.example/v2/callback'] },
      },
      removed: { summary: 'Without help address', value: { helpUri: null } },
    },
    response: { ...appExample, version: 2 },
  },
});

const statusChange = (verb: 'disable' | 'enable', summary: string, description: string, response: ManagedApp) =>
  endpoint({
    id: `${verb}App`,
    method: 'POST',
    path: `${path}/${verb}`,
    tag,
    summary,
    description,
    operation,
    action: `app.${verb}`,
    // Somebody may have disabled it because its secret leaked.
    ...(verb === 'enable'
      ? { stepUp: true as const }
      : { noStepUp: 'it only ends rights, which must not wait in an incident' }),
    params,
    idempotent: true,
    versioned: true,
    responses: { 200: { description: 'The app as it is now', schema: managedAppSchema } },
    errors: ['unknown_app', 'app_protected'],
    examples: { response },
  });
const disableAppEndpoint = statusChange(
  'disable',
  'Disable an app',
  'The app gets no tokens, and nobody signs in to it. Its tokens are refused within a second, for good.',
  { ...appExample, status: 'disabled', version: 2 },
);
const enableAppEndpoint = statusChange(
  'enable',
  'Enable an app',
  'The app gets tokens, and people and customers sign in to it. Tokens from before it was disabled stay refused.',
  { ...appExample, version: 3 },
);

const deleteAppEndpoint = endpoint({
  id: 'deleteApp',
  method: 'DELETE',
  path,
  tag,
  summary: 'Delete an app',
  description:
    'Deletes the app with its client secrets, for good. Its tokens are refused within a second. Its assignments end ' +
    'and its pending access requests are cancelled, each with an event within seconds. Its name can be used again, ' +
    'its client ID never. Customers to whom it made offers stay, but only the app that made the offers can manage ' +
    'them: disable such an app instead.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'app.delete',
  params,
  idempotent: true,
  versioned: true,
  responses: { 204: { description: 'The app is deleted' } },
  errors: ['unknown_app', 'app_protected'],
});

@Controller()
export class AppChangesController {
  constructor(private readonly resources: Resources) {}

  @Route(updateAppEndpoint)
  async update(
    @Input() input: InputOf<typeof updateAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    const signedInRecently = !request.requestContext.needsStepUp;
    const changed = { clientId: input.params.clientId, changes: input.body, signedInRecently };
    const command = { ...changed, ...commandOf(request, input) };
    const { app } = await this.resources.act(request, reply, adminUpdateApp, command, () => []);
    return shown(request, reply, app);
  }

  @Route(disableAppEndpoint)
  disable(
    @Input() input: InputOf<typeof disableAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    return this.setDisabled(true, input, request, reply);
  }

  @Route(enableAppEndpoint)
  enable(
    @Input() input: InputOf<typeof enableAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    return this.setDisabled(false, input, request, reply);
  }

  @Route(deleteAppEndpoint)
  async delete(
    @Input() input: InputOf<typeof deleteAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { clientId } = input.params;
    await this.resources.act(request, reply, adminDeleteApp, { clientId, ...commandOf(request, input) }, () => []);
    request.requestContext.targets = [appTarget(clientId)];
  }

  private async setDisabled(
    disabled: boolean,
    input: InputOf<typeof disableAppEndpoint>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<ManagedApp> {
    const command = { clientId: input.params.clientId, disabled, ...commandOf(request, input) };
    const { app } = await this.resources.act(request, reply, adminDisableApp, command, () => []);
    return shown(request, reply, app);
  }
}

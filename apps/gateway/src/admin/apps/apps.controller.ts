import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  adminCreateApp,
  adminGetApp,
  adminListApps,
  appCursorSchema,
  appKinds,
  appStatuses,
  clientIdParameter,
  createdAppSchema,
  managedAppSchema,
  newAppSchema,
  shortId,
  type ManagedApp,
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
import { Resources } from '../../requests/resources.js';
import { appExample, newSecretExample } from './app-examples.js';
import { appTarget, commandOf, shown, tag } from './app-requests.js';

const operation = 'apps:manage';

const listAppsEndpoint = endpoint({
  id: 'listApps',
  method: 'GET',
  path: '/o/{shortId}/api/admin/apps',
  tag,
  summary: 'List apps',
  description: 'The apps of the organization, newest first. Client secrets are never shown.',
  operation,
  action: 'app.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    status: z.enum(appStatuses).optional().describe('Only apps with this status'),
    kind: z.enum(appKinds).optional().describe('Only apps of this kind'),
    audience: z.enum(['customers', 'people']).optional().describe('Only apps for these'),
    q: z
      .string()
      .min(1, 'must have 1 to 100 characters')
      .max(100, 'must have 1 to 100 characters')
      .refine((text) => !/\p{Cc}/u.test(text), 'must not have control characters')
      .optional()
      .describe('Only apps whose name begins so, upper or lower case'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: { 200: { description: 'A page of apps', schema: pageSchema(managedAppSchema).meta({ id: 'AppPage' }) } },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(appExample) },
});

const getAppEndpoint = endpoint({
  id: 'getApp',
  method: 'GET',
  path: '/o/{shortId}/api/admin/apps/{clientId}',
  tag,
  summary: 'Get an app',
  description: 'An app of the organization. Client secrets are never shown.',
  operation,
  action: 'app.read',
  params: z.strictObject({ shortId, clientId: clientIdParameter }),
  versioned: true,
  responses: { 200: { description: 'The app', schema: managedAppSchema } },
  errors: ['unknown_app'],
  examples: { response: appExample },
});

const createAppEndpoint = endpoint({
  id: 'createApp',
  method: 'POST',
  path: '/o/{shortId}/api/admin/apps',
  tag,
  summary: 'Create an app',
  description:
    'Creates an app to which customers sign in. A `web` app gets a client secret, which only this response shows. ' +
    'The app holds no scope: people with the right to manage grants, or the operator, grant scopes and create ' +
    '`service` apps. Before a scope is granted, client secrets that a program has seen must be replaced.',
  operation,
  action: 'app.create',
  params: z.strictObject({ shortId }),
  body: newAppSchema,
  // Its redirect URIs receive sign-ins, and its client secret outlives the session.
  stepUp: true,
  idempotent: true,
  versioned: true,
  responses: {
    201: { description: 'The app is created', schema: createdAppSchema, headers: { Location: 'Address of the app' } },
  },
  errors: ['app_protected', 'limit_reached', 'conflict', 'payload_too_large', 'unsupported_media_type'],
  examples: {
    body: {
      web: {
        summary: 'A web app with a backend',
        value: {
          name: 'Shop',
          kind: 'web',
          displayName: 'Acme Shop',
          redirectUris: ['https://shop.example/callback'],
          postLogoutRedirectUris: ['https://shop.example/'],
          backchannelLogoutUri: 'https://shop.example/logged-out',
          helpUri: 'https://shop.example/help',
        },
      },
      native: {
        summary: 'A native app',
        value: { name: 'Shop for phones', kind: 'native', redirectUris: ['example.shop:/signed-in'] },
      },
    },
    response: { ...appExample, secret: newSecretExample },
  },
});

@Controller()
export class AppsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listAppsEndpoint)
  list(@Input() { query }: InputOf<typeof listAppsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { limit: _, next_page_token: __, q, ...filter } = query;
    const prefix = q === undefined ? {} : { namePrefix: q };
    return this.resources.list(request, query, appCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(adminListApps, { ...filter, ...prefix, limit, ...(after && { after }) }, context),
    );
  }

  @Route(getAppEndpoint)
  async get(
    @Input() { params: { clientId } }: InputOf<typeof getAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    const app = await this.resources.read(request, adminGetApp, { clientId }, () => [appTarget(clientId)]);
    return shown(request, reply, app);
  }

  @Route(createAppEndpoint)
  async create(
    @Input() input: InputOf<typeof createAppEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<ManagedApp> {
    const { params, body } = input;
    const command = { app: body, ...commandOf(request, input) };
    const { app } = await this.resources.act(request, reply, adminCreateApp, command, () => []);
    void reply.header('location', `/o/${params.shortId}/api/admin/apps/${app.clientId}`);
    return shown(request, reply, app);
  }
}

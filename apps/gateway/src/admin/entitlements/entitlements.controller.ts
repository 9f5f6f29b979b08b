import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  clientIdParameter,
  entitlementCursorSchema,
  entitlementSchema,
  listEntitlements,
  shortId,
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
import { appTarget } from '../apps/app-requests.js';
import { groupParameter, groupTarget, personTarget, userParameter } from '../groups/group-requests.js';
import { entitlementExample } from './entitlement-examples.js';

const order = 'Newest assignment first; people of one group together';

const listEntitlementsEndpoint = endpoint({
  id: 'listEntitlements',
  method: 'GET',
  path: '/o/{shortId}/api/admin/entitlements',
  tag: 'Admin API: entitlements',
  summary: 'List entitlements',
  description:
    'Who can use which app now, with one item for each path: a person who is assigned directly and through two ' +
    'groups has three items. Sign-in follows the same rule, so people who are not active, disabled apps and ' +
    'assignments that have expired are not in it. A filter that names nothing matches nothing.',
  operation: 'entitlements:view',
  action: 'entitlement.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    user: userParameter.optional().describe('Only what this person can use'),
    app: clientIdParameter.optional().describe('Only who can use this app'),
    group: groupParameter.optional().describe('Only what comes through this group'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: {
    200: {
      description: 'A page of entitlements',
      schema: pageSchema(entitlementSchema, order).meta({ id: 'EntitlementPage' }),
    },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(entitlementExample) },
});

@Controller()
export class EntitlementsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listEntitlementsEndpoint)
  list(@Input() { query }: InputOf<typeof listEntitlementsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { limit: _, next_page_token: __, ...filter } = query;
    const { user, app, group } = filter;
    request.requestContext.targets = [
      ...(user === undefined ? [] : [personTarget(user)]),
      ...(app === undefined ? [] : [appTarget(app)]),
      ...(group === undefined ? [] : [groupTarget(group)]),
    ];
    return this.resources.list(request, query, entitlementCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listEntitlements, { ...filter, limit, ...(after && { after }) }, context),
    );
  }
}

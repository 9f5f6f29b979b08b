import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  adminListOffers,
  adminWithdrawOffer,
  clientIdParameter,
  openOfferCursorSchema,
  openOfferSchema,
  shortId,
  uuid,
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
import { targetsOf } from '../../credentials/audit-targets.js';
import { createdAt, credentialId, offerId, subject } from '../../credentials/credential-examples.js';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';

const tag = 'Admin API: apps';
const path = '/o/{shortId}/api/admin/offers';
/**
 * People only: the list names the customers of every app, which a program must not see (specification §2.5). Who may
 * end the rights of an app may end what it did with them.
 */
const operation = 'grants:manage';

const listEndpoint = endpoint({
  id: 'adminListOffers',
  method: 'GET',
  path,
  tag,
  summary: 'List the open offers of all apps',
  description:
    'Offers that can still be claimed, with the app that made each. They end by themselves when the app is disabled, ' +
    'deleted or loses the scope that they needed.',
  operation,
  action: 'offer.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    app: clientIdParameter.optional().describe('Only offers of this app'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  responses: {
    200: {
      description: 'A page of offers, by app, oldest first',
      schema: pageSchema(openOfferSchema).meta({ id: 'OpenOfferPage' }),
    },
  },
  errors: ['invalid_page_token'],
  examples: {
    response: pageExample({
      offerId,
      subject,
      credentialId,
      credentialType: 'customer',
      maker: { type: 'app', id: 'app_2VwTq0yB1n8d5cJ7wX2kZg' },
      existingCustomer: false,
      createdAt,
      expiresAt: '2026-11-24T09:30:00.000Z',
    }),
  },
});

const withdrawEndpoint = endpoint({
  id: 'adminWithdrawOffer',
  method: 'DELETE',
  path: `${path}/{offerId}`,
  tag,
  summary: 'Withdraw an offer of any app',
  description:
    'Its link can no longer be claimed, and its credential is revoked if it was never issued. The app that made it ' +
    'reads that it is withdrawn.',
  operation,
  noStepUp: 'it only ends rights, which must not wait in an incident',
  action: 'offer.withdraw',
  params: z.strictObject({ shortId, offerId: uuid.describe('The offer') }),
  idempotent: true,
  responses: { 204: { description: 'The offer is withdrawn' } },
  errors: ['unknown_offer', 'invalid_state'],
});

@Controller()
export class AdminOffersController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listEndpoint)
  list(@Input() { query }: InputOf<typeof listEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { app } = query;
    return this.resources.list(request, query, openOfferCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(adminListOffers, { ...(app !== undefined && { app }), limit, ...(after && { after }) }, context),
    );
  }

  @Route(withdrawEndpoint)
  async withdraw(
    @Input() input: InputOf<typeof withdrawEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const id = input.params.offerId;
    const command = { offerId: id, ...keyOf(input) };
    await this.resources.act(request, reply, adminWithdrawOffer, command, (dataSubject) =>
      targetsOf('offer', id, dataSubject),
    );
  }
}

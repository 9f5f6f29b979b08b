import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  createOffer,
  getOffer,
  offerDetailsSchema,
  offerRequestSchema,
  offerSchema,
  shortId,
  uuid,
  withdrawOffer,
  type Offer,
  type OfferDetails,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { contextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { keyOf, markReplayed, Resources } from '../requests/resources.js';
import { targetsOf } from './audit-targets.js';
import { createdAt, credentialId, offerExample, offerId, subject } from './credential-examples.js';

const tag = 'Customer credentials';

export const createOfferEndpoint = endpoint({
  id: 'createOffer',
  method: 'POST',
  path: '/o/{shortId}/api/credentials/offers',
  tag,
  summary: 'Create an offer',
  description:
    'Creates an offer to a new customer or, with `subject`, to an existing customer of this app. Deliver `claimUrl` ' +
    'to the customer yourself; Holdfast sends nothing. `subject` also needs the scope `issued:manage`. If the ' +
    'organization requires a proof of presence, each offer needs one in `presence`. A proof that is sent is always ' +
    'verified, and the offer consumes it.',
  operation: 'offers:write',
  // The scope of a sign-up form must not be enough to take over an existing customer (product §5).
  bodyOperation: (json) => (namesSubject(json) ? 'issued:manage' : undefined),
  action: 'offer.create',
  params: z.strictObject({ shortId }),
  body: offerRequestSchema,
  idempotent: true,
  responses: {
    201: { description: 'The offer is created', schema: offerSchema, headers: { Location: 'Address of the customer' } },
  },
  errors: [
    'unknown_subject',
    'unknown_credential_type',
    'invalid_state',
    'presence_required',
    'presence_invalid',
    'presence_expired',
    'presence_replayed',
    'presence_unavailable',
    'payload_too_large',
    'unsupported_media_type',
  ],
  examples: {
    body: {
      newCustomer: { summary: 'To a new customer', value: {} },
      shorter: {
        summary: 'Open for one hour, with a return URL',
        value: { offerExpiresIn: 3600, returnUrl: 'https://shop.example/welcome' },
      },
      fromForm: {
        summary: "With the solution of the sign-up form's widget",
        value: {
          presence: {
            type: 'altcha',
            payload: 'eyJjaGFsbGVuZ2UiOnsicGFyYW1ldGVycyI6e30sInNpZ25hdHVyZSI6IiJ9LCJzb2x1dGlvbiI6e319',
          },
        },
      },
      recovery: { summary: 'To a known customer who lost the credential', value: { subject } },
    },
    response: offerExample,
  },
});

const params = z.strictObject({
  shortId,
  offerId: uuid.describe('The offer: `offerId` of the response to its creation'),
});

const getOfferEndpoint = endpoint({
  id: 'getOffer',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/offers/{offerId}',
  tag,
  summary: 'Get an offer',
  description: 'Whether an offer of the calling app was claimed, or still can be. The claim link is never shown again.',
  operation: 'issued:read',
  action: 'offer.read',
  params,
  responses: { 200: { description: 'The offer', schema: offerDetailsSchema } },
  errors: ['unknown_offer'],
  examples: {
    response: {
      offerId,
      subject,
      credentialId,
      credentialType: 'customer',
      status: 'open',
      createdAt,
      expiresAt: '2026-11-24T09:30:00.000Z',
    },
  },
});

const withdrawOfferEndpoint = endpoint({
  id: 'withdrawOffer',
  method: 'DELETE',
  path: '/o/{shortId}/api/credentials/offers/{offerId}',
  tag,
  summary: 'Withdraw an offer',
  description:
    'Withdraws an unclaimed offer: its link can no longer be claimed, and its credential is revoked ' +
    'if it was never issued.',
  operation: 'offers:write',
  action: 'offer.withdraw',
  idempotent: true,
  params,
  responses: { 204: { description: 'The offer is withdrawn' } },
  errors: ['unknown_offer', 'invalid_state'],
});

function namesSubject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, 'subject');
}

@Controller()
export class OffersController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(createOfferEndpoint)
  async create(
    @Input() input: InputOf<typeof createOfferEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Offer> {
    const { body, params } = input;
    const { requestContext } = request;
    const { offer, replayed } = await this.bus.request(
      createOffer,
      { offer: body, ...keyOf(input) },
      contextOf(request),
    );
    requestContext.audited = !replayed;
    requestContext.targets = [
      { type: 'customer', id: offer.subject, dataSubject: offer.subject },
      { type: 'offer', id: offer.offerId, dataSubject: offer.subject },
    ];
    void reply.header('location', `/o/${params.shortId}/api/credentials/subjects/${offer.subject}`);
    if (replayed) markReplayed(request, reply);
    return offer;
  }

  @Route(getOfferEndpoint)
  get(
    @Input() { params: { offerId } }: InputOf<typeof getOfferEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<OfferDetails> {
    return this.resources.read(request, getOffer, { offerId }, ({ subject }) => targetsOf('offer', offerId, subject));
  }

  @Route(withdrawOfferEndpoint)
  async withdraw(
    @Input() input: InputOf<typeof withdrawOfferEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { offerId } = input.params;
    await this.resources.act(request, reply, withdrawOffer, { offerId, ...keyOf(input) }, (dataSubject) =>
      targetsOf('offer', offerId, dataSubject),
    );
  }
}

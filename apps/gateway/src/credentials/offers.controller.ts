import { Controller, HttpCode, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  createOffer,
  offerRequestSchema,
  offerSchema,
  shortId,
  uuid,
  withdrawOffer,
  type Offer,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { contextOf } from '../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../endpoints/endpoint.js';
import { Input } from '../endpoints/input.js';
import { answered, keyOf, markReplayed } from '../endpoints/resources.js';

const tag = 'Customer credentials';

export const createOfferEndpoint = endpoint({
  id: 'createOffer',
  method: 'POST',
  path: '/o/{shortId}/api/credentials/offers',
  tag,
  summary: 'Create an offer',
  description:
    'Makes an offer to a new customer, or with `subject` to one that this app knows. Deliver `claimUrl` to the customer yourself; ' +
    'Holdfast sends nothing. Naming a `subject` needs the scope `issued:manage` as well. Where the organization demands a proof of presence, ' +
    'each offer needs one in `presence`; wherever one is sent, it is verified and used up by the offer.',
  operation: 'offers:write',
  // So that the scope of a sign-up form cannot take over a customer (product §5).
  bodyOperation: (json) => (namesSubject(json) ? 'issued:manage' : undefined),
  action: 'offer.create',
  params: z.strictObject({ shortId }),
  body: offerRequestSchema,
  idempotent: true,
  answers: {
    201: { description: 'The offer was made', schema: offerSchema, headers: { Location: 'Address of the customer' } },
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
});

export const withdrawOfferEndpoint = endpoint({
  id: 'withdrawOffer',
  method: 'DELETE',
  path: '/o/{shortId}/api/credentials/offers/{offerId}',
  tag,
  summary: 'Withdraw an offer',
  description:
    'Takes an unclaimed offer back: its link no longer claims, and a credential that nobody holds yet is revoked.',
  operation: 'offers:write',
  action: 'offer.withdraw',
  idempotent: true,
  params: z.strictObject({ shortId, offerId: uuid.describe('The offer, as the answer to its creation named it') }),
  answers: { 204: { description: 'The offer is withdrawn' } },
  errors: ['unknown_offer', 'invalid_state'],
});

function namesSubject(json: unknown): boolean {
  return typeof json === 'object' && json !== null && Object.hasOwn(json, 'subject');
}

@Controller()
export class OffersController {
  constructor(private readonly bus: Bus) {}

  @Route(createOfferEndpoint)
  @HttpCode(201)
  async create(
    @Input() input: InputOf<typeof createOfferEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Offer> {
    const { body, params } = input;
    const { call } = request;
    const { offer, replayed } = await this.bus.request(
      createOffer,
      { offer: body, ...keyOf(input) },
      contextOf(request),
    );
    call.audited = !replayed;
    call.targets = [
      { type: 'customer', id: offer.subject, dataSubject: offer.subject },
      { type: 'offer', id: offer.offerId, dataSubject: offer.subject },
    ];
    void reply.header('location', `/o/${params.shortId}/api/credentials/subjects/${offer.subject}`);
    if (replayed) markReplayed(request, reply);
    return offer;
  }

  @Route(withdrawOfferEndpoint)
  @HttpCode(204)
  async withdraw(
    @Input() input: InputOf<typeof withdrawOfferEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { offerId } = input.params;
    const done = await this.bus.request(withdrawOffer, { offerId, ...keyOf(input) }, contextOf(request));
    answered(done, request, reply, (holder) => [
      { type: 'offer', id: offerId, dataSubject: holder },
      { type: 'customer', id: holder, dataSubject: holder },
    ]);
  }
}

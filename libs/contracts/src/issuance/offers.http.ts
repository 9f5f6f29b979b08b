import { clientIdParameter } from '../directory/apps-admin.js';
import { uuid } from '../fields.js';
import { endsRights, hasMember } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { createdAt, credentialId, offerExample, offerId, subject } from './customer-examples.js';
import { targetsOf, targetsOfRepeat } from './customer-targets.js';
import { adminListOffers, adminWithdrawOffer, createOffer, getOffer, withdrawOffer } from './offers.js';

const tag = 'Customer credentials';
const path = '/o/{shortId}/api/credentials/offers';
const params = { offerId: uuid.describe('The offer: `offerId` of the response to its creation') };
const expiresAt = '2026-11-24T09:30:00.000Z';

export const offerEndpoints = [
  http(createOffer, {
    id: 'createOffer',
    method: 'POST',
    path,
    tag,
    summary: 'Create an offer',
    description:
      'Creates an offer to a new customer or, with `subject`, to an existing customer of this app. Deliver ' +
      '`claimUrl` to the customer yourself; Holdfast sends nothing. `subject` also needs the scope `issued:manage`. ' +
      'If the organization requires a proof of presence, each offer needs one in `presence`. A proof that is sent is ' +
      'always verified, and the offer consumes it. A person makes it for an app, named in `app`, whose customer it ' +
      'becomes, and to a customer of any app; a person needs no proof of presence.',
    operation: 'offers:write',
    // The scope of a sign-up form must not be enough to take over an existing customer (docs/product.md §5).
    bodyOperation: (json) =>
      hasMember(json, 'subject') ? { operation: 'issued:manage', personOperation: 'customers:support' } : undefined,
    stepUp: true,
    action: 'offer.create',
    body: 'offer',
    bodies: {
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
      byPerson: { summary: 'By a person, for an app', value: { app: 'app_2VwTq0yB1n8d5cJ7wX2kZg' } },
    },
    status: 201,
    response: 'The offer is created',
    member: 'offer',
    example: offerExample,
    targets: (_, outcome) => {
      if (!outcome) return [];
      const { subject: dataSubject, offerId: id } = outcome.reply.offer;
      return targetsOf('offer', id, dataSubject).reverse();
    },
    location: {
      of: 'the customer',
      path: ({ params: { shortId } }, { offer }) => `/o/${shortId}/api/credentials/subjects/${offer.subject}`,
    },
  }),
  http(getOffer, {
    id: 'getOffer',
    method: 'GET',
    path: `${path}/{offerId}`,
    tag,
    summary: 'Get an offer',
    description:
      'Whether an offer of the calling app was claimed, or still can be; for a person, the offer of any app. The ' +
      'claim link is never shown again.',
    operation: 'issued:read',
    action: 'offer.read',
    params,
    response: 'The offer',
    example: { offerId, subject, credentialId, credentialType: 'customer', status: 'open', createdAt, expiresAt },
    targets: ({ params: { offerId: id } }, outcome) => (outcome ? targetsOf('offer', id, outcome.reply.subject) : []),
  }),
  http(withdrawOffer, {
    id: 'withdrawOffer',
    method: 'DELETE',
    path: `${path}/{offerId}`,
    tag,
    summary: 'Withdraw an offer',
    description:
      'Withdraws an unclaimed offer: its link can no longer be claimed, and its credential is revoked ' +
      'if it was never issued. A person withdraws the offer of any app.',
    operation: 'offers:write',
    noStepUp: endsRights,
    action: 'offer.withdraw',
    params,
    status: 204,
    response: 'The offer is withdrawn',
    targets: ({ params: { offerId: id } }, outcome) => targetsOfRepeat('offer', id, outcome),
  }),
];

const adminTag = 'Admin API: apps';
const adminPath = '/o/{shortId}/api/admin/offers';
/**
 * People only: the list names the customers of every app, which a program must not see (specification §2.5). Who may
 * end the rights of an app may end what it did with them.
 */
const operation = 'grants:manage';

/** Offers of every app. */
export const adminOfferEndpoints = [
  http(adminListOffers, {
    id: 'adminListOffers',
    method: 'GET',
    path: adminPath,
    tag: adminTag,
    summary: 'List the open offers of all apps',
    description:
      'Offers that can still be claimed, each with the app whose customer it is for, and who made it. They end by ' +
      'themselves when their maker loses what they needed: an app that is disabled or deleted or loses the scope, a ' +
      'person who is deactivated or removed or loses the role.',
    operation,
    action: 'offer.list',
    query: { app: clientIdParameter.optional().describe('Only offers of this app') },
    response: 'A page of offers, by app, oldest first',
    page: 'OpenOfferPage',
    example: {
      offerId,
      subject,
      credentialId,
      credentialType: 'customer',
      app: 'app_2VwTq0yB1n8d5cJ7wX2kZg',
      maker: { type: 'app', id: 'app_2VwTq0yB1n8d5cJ7wX2kZg' },
      existingCustomer: false,
      createdAt,
      expiresAt,
    },
    targets: () => [],
  }),
  http(adminWithdrawOffer, {
    id: 'adminWithdrawOffer',
    method: 'DELETE',
    path: `${adminPath}/{offerId}`,
    tag: adminTag,
    summary: 'Withdraw an offer of any app',
    description:
      'Its link can no longer be claimed, and its credential is revoked if it was never issued. The app that made it ' +
      'reads that it is withdrawn.',
    operation,
    noStepUp: endsRights,
    action: 'offer.withdraw',
    params: { offerId: uuid.describe('The offer') },
    status: 204,
    response: 'The offer is withdrawn',
    targets: ({ params: { offerId: id } }, outcome) => targetsOfRepeat('offer', id, outcome),
  }),
];

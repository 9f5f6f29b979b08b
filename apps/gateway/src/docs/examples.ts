import type { AuditEvent, Offer, Subject, SubjectSummary } from '@holdfast/contracts';

interface Examples {
  body?: Record<string, { summary: string; value: unknown }>;
  answer?: unknown;
}

const subject = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
const credentialId = '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01';
const offerId = '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02';
const auditId = '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03';
const createdAt = '2026-11-21T09:30:00.000Z';

const offer: Offer = {
  subject,
  claimUrl: 'https://id.example/o/acme/claim#vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM',
  offerId,
  credentialId,
  credentialType: 'customer',
  expiresAt: '2026-11-24T09:30:00.000Z',
};

const full: Subject = {
  subject,
  claimed: false,
  credentials: [{ id: credentialId, credentialType: 'customer', status: 'offered', revocable: true, holderId: subject, createdAt }],
};

const summary: SubjectSummary = { subject, claimed: false, credentials: 1, live: 0, openOffers: 1, createdAt };

const event: AuditEvent = {
  id: auditId,
  seq: 4711,
  occurredAt: createdAt,
  action: 'offer.create',
  actor: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya', name: 'shop' },
  targets: [
    { type: 'customer', id: subject },
    { type: 'offer', id: offerId },
  ],
  outcome: { result: 'success', status: 201 },
  request: {
    id: '019aa5f2-7c1e-7b3a-9d54-0c2f1f3e8a77',
    traceparent: '00-4bf92f3577b34da6a3ce929d0e0e4736-00f067aa0ba902b7-01',
    method: 'POST',
    route: '/o/{shortId}/api/credentials/offers',
  },
};

const page = (items: unknown[]) => ({ items, hasMore: true, nextPageToken: 'kq2v1Xb7…' });

/** Examples of the reference, by the id of the endpoint. A test validates each by the schema that validates requests. */
export const examples: Record<string, Examples> = {
  createOffer: {
    body: {
      newCustomer: { summary: 'To a new customer', value: {} },
      shorter: { summary: 'Open for one hour, leading back to the shop', value: { offerExpiresIn: 3600, returnUrl: 'https://shop.example/welcome' } },
      recovery: { summary: 'To a known customer who lost the credential', value: { subject } },
    },
    answer: offer,
  },
  listSubjects: { answer: page([summary]) },
  getSubject: { answer: full },
  listAuditEvents: { answer: page([event]) },
  getAuditEvent: { answer: event },
};

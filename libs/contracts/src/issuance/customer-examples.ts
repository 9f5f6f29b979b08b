import type { SignInDiagnosis } from '../subjects/sign-in-diagnosis.js';
import type { Credential, Subject, SubjectSummary } from './customers.js';
import type { Offer } from './offers.js';

/** Every example of the API reference is about the same customer, so that readers can follow it across endpoints. */
export const subject = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
export const credentialId = '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01';
export const offerId = '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02';
export const createdAt = '2026-11-21T09:30:00.000Z';

export const offerExample: Offer = {
  subject,
  claimUrl: 'https://id.example/o/acme/claim#vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM',
  offerId,
  credentialId,
  credentialType: 'customer',
  expiresAt: '2026-11-24T09:30:00.000Z',
};

export const subjectExample: Subject = {
  subject,
  claimed: false,
  credentials: [
    { id: credentialId, credentialType: 'customer', status: 'offered', revocable: true, holderId: subject, createdAt },
  ],
};

export const subjectSummaryExample: SubjectSummary = {
  subject,
  claimed: false,
  credentials: 1,
  live: 0,
  openOffers: 1,
  createdAt,
};

export const credentialExample: Credential = {
  id: credentialId,
  credentialType: 'customer',
  status: 'issued',
  issuedAt: '2026-11-21T10:02:11.480Z',
  expiresAt: '2027-11-21T10:02:11.480Z',
  revocable: true,
  holderId: subject,
  holderClaimedAt: '2026-11-21T10:02:11.480Z',
  holderApp: 'Bitwarden',
  holders: [{ type: 'passkey', addedAt: '2026-11-21T10:02:11.480Z' }],
  createdAt,
};

export const signInDiagnosisExample: SignInDiagnosis = {
  state: 'signs_in',
  explanation: 'The customer can sign in, and the last attempt succeeded.',
  remedy: 'If a device is lost or no passkey is offered, offer again.',
  at: '2026-11-22T08:15:42.106Z',
  credentialId,
  attempts: [{ occurredAt: '2026-11-22T08:15:42.106Z', app: 'app_2VwZ0v6Qy8kXoGmR3tNcPA', result: 'success' }],
  customer: {
    subject,
    claimed: true,
    app: 'app_2VwZ0v6Qy8kXoGmR3tNcPA',
    offers: [],
    credentials: [credentialExample],
  },
};

import type { AuditEvent, Credential, Offer, PublicEvent, Subject, SubjectSummary } from '@holdfast/contracts';
import { auditId, checkpoint, entry, proof, proofFile, verifierKey } from '../admin/audit/audit-examples.js';

export interface Examples {
  body?: Record<string, { summary: string; value: unknown }>;
  answer?: unknown;
  /** The same as text, where it comes as text too. */
  text?: string;
}

const subject = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
const credentialId = '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01';
const offerId = '019aa5f2-7c1e-7e31-a0b2-1c9d8e7f6a02';
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
  credentials: [
    { id: credentialId, credentialType: 'customer', status: 'offered', revocable: true, holderId: subject, createdAt },
  ],
};

const held: Credential = {
  id: credentialId,
  credentialType: 'customer',
  status: 'issued',
  issuedAt: '2026-11-21T10:02:11.480Z',
  expiresAt: '2027-11-21T10:02:11.480Z',
  revocable: true,
  holderId: subject,
  holderClaimedAt: '2026-11-21T10:02:11.480Z',
  holderApp: 'Bitwarden',
  createdAt,
};
const reason = {
  body: {
    plain: { summary: 'Without a reason', value: {} },
    because: { summary: 'With a reason', value: { reason: 'lost_device' } },
  },
};

const summary: SubjectSummary = { subject, claimed: false, credentials: 1, live: 0, openOffers: 1, createdAt };

const event: AuditEvent = {
  id: auditId,
  seq: 3,
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

const told: PublicEvent = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  type: 'credential.issued',
  occurredAt: '2026-11-21T09:41:12.345Z',
  version: 2,
  data: { subject, credentialId, credentialType: 'customer', expiresAt: '2027-11-21T09:41:12.345Z' },
};

const claimToken = 'vQ3mB0yq1Tn8d5cJ7wX2kZ9rLhFpEsGaUoNiYtRbVxM';
const challenge = 'pY1b3lqk0yQmXf3cVgq0n2o5m8uR7sT4wZ6xA9dE1fG';
const registration = {
  id: 'q83vEjRWeJA',
  rawId: 'q83vEjRWeJA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uY3JlYXRlIn0',
    attestationObject: 'o2NmbXRkbm9uZQ',
    transports: ['internal'],
  },
};
const assertion = {
  id: 'q83vEjRWeJA',
  rawId: 'q83vEjRWeJA',
  type: 'public-key',
  clientExtensionResults: {},
  response: {
    clientDataJSON: 'eyJ0eXBlIjoid2ViYXV0aG4uZ2V0In0',
    authenticatorData: 'SZYN5YgOjGh0NBcP',
    signature: 'MEUCIQDx',
    userHandle: 'n7Yw0g',
  },
};

const page = (items: unknown[]) => ({ items, hasMore: true, nextPageToken: 'kq2v1Xb7…' });

/**
 * Examples of the reference, by the id of the endpoint. A test validates each by the schema that validates requests.
 */
export const examples: Record<string, Examples> = {
  createOffer: {
    body: {
      newCustomer: { summary: 'To a new customer', value: {} },
      shorter: {
        summary: 'Open for one hour, leading back to the shop',
        value: { offerExpiresIn: 3600, returnUrl: 'https://shop.example/welcome' },
      },
      fromForm: {
        summary: 'With what the widget on the sign-up form gave',
        value: {
          presence: {
            type: 'altcha',
            payload: 'eyJjaGFsbGVuZ2UiOnsicGFyYW1ldGVycyI6e30sInNpZ25hdHVyZSI6IiJ9LCJzb2x1dGlvbiI6e319',
          },
        },
      },
      recovery: { summary: 'To a known customer who lost the credential', value: { subject } },
    },
    answer: offer,
  },
  listSubjects: { answer: page([summary]) },
  getSubject: { answer: full },
  getIssued: { answer: held },
  suspendCredential: { ...reason, answer: { ...held, status: 'suspended' } },
  resumeCredential: { ...reason, answer: held },
  revokeCredential: {
    ...reason,
    answer: { ...held, status: 'revoked', revokedAt: '2026-12-03T08:15:00.000Z', revokedReason: 'lost_device' },
  },
  getPresenceChallenge: {
    answer: {
      parameters: {
        algorithm: 'PBKDF2/SHA-256',
        cost: 5000,
        expiresAt: 1795253400,
        keyLength: 32,
        keyPrefix: '9f2c5d0e7a1b3c4d5e6f708192a3b4c5',
        keySignature: '4a1f…',
        nonce: '5ad1…',
        salt: 'c07e…',
        data: {
          answer: '77b0…',
          client_id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya',
          id: 'k3Jw0mVq2uXbT8rYh5cNzA',
          org: 'acme',
          purpose: 'offer',
        },
      },
      signature: 'e3b0…',
    },
  },
  getClaim: {
    body: { link: { summary: 'What stands after the # of the link', value: { token: claimToken } } },
    answer: {
      organization: { name: 'Acme' },
      credentialType: { name: 'customer', display: 'Customer' },
      state: 'open',
      recovery: false,
      expiresAt: '2026-11-24T09:30:00.000Z',
      returnUrl: 'https://shop.example/welcome',
    },
  },
  getClaimOptions: {
    body: { link: { summary: 'What stands after the # of the link', value: { token: claimToken } } },
    answer: {
      options: {
        rp: { id: 'id.example', name: 'Acme' },
        challenge,
        user: { id: 'n7Yw0g', name: 'Acme · 7F3K', displayName: '' },
        pubKeyCredParams: [{ type: 'public-key', alg: -7 }],
      },
    },
  },
  completeClaim: {
    body: {
      passkey: {
        summary: 'With what the authenticator answered',
        value: { token: claimToken, response: registration },
      },
    },
    answer: { returnUrl: 'https://shop.example/welcome' },
  },
  getRelatedOrigins: { answer: { origins: ['https://id.example'] } },
  getSignIn: { answer: { organization: { shortId: 'acme', name: 'Acme' }, app: { name: 'shop' } } },
  getSignInOptions: { answer: { options: { rpId: 'id.example', challenge, userVerification: 'required' } } },
  completeSignIn: {
    body: { passkey: { summary: 'With what the authenticator answered', value: { response: assertion } } },
    answer: { redirectTo: 'https://id.example/o/acme/authorize/Vh2mYp0sQkLw7dXz' },
  },
  cancelSignIn: { answer: { redirectTo: 'https://id.example/o/acme/authorize/Vh2mYp0sQkLw7dXz' } },
  listAuditEvents: { answer: page([event]) },
  getAuditEvent: { answer: event },
  getAuditProof: { answer: proof, text: proofFile },
  getAuditCheckpoint: { text: checkpoint },
  getAuditConsistency: { answer: { hashes: proof.hashes } },
  getAuditKeys: { answer: { keys: [verifierKey] } },
  listAuditEntries: { answer: { items: [entry], checkpoint, hasMore: false } },
  listEvents: { answer: page([told]) },
};

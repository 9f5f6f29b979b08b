import { uuid } from '../fields.js';
import { endsRights } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { endCustomerSessions, listCustomerSessions, type CustomerSession } from './account.js';

const tag = 'Customer credentials';
const path = '/o/{shortId}/api/credentials/subjects/{subject}/sessions';
const params = { subject: uuid.describe('The customer: `subject` of the offer') };

const example: { items: CustomerSession[] } = {
  items: [
    {
      id: 'k3V0m1hYd7Qx2bWcZ9rLhFpEsGaUoNiYtRbVxMq8J5A',
      signedInAt: '2026-11-21T10:05:00.000Z',
      expiresAt: '2026-11-22T00:05:00.000Z',
      passkey: '7d1c0a52-4b3e-8f6a-9c27-5e8b1f3a6d90',
      apps: [{ clientId: 'app_4q7Zk2mB9xYt', name: 'Shop' }],
      browser: true,
    },
  ],
};

export const sessionEndpoints = [
  http(listCustomerSessions, {
    id: 'listCustomerSessions',
    method: 'GET',
    path,
    tag,
    summary: 'List the sessions of a subject',
    description:
      'Where a customer of the calling app is signed in: browsers, and apps that stay signed in. A person reads ' +
      'those of any customer.',
    operation: 'issued:read',
    action: 'session.list',
    params,
    response: 'The sessions, newest first, a hundred at most',
    example,
    targets: ({ params: { subject: id } }, outcome) => (outcome ? [{ type: 'customer', id, dataSubject: id }] : []),
  }),
  http(endCustomerSessions, {
    id: 'endCustomerSessions',
    method: 'DELETE',
    path,
    tag,
    summary: 'End the sessions of a subject',
    description:
      'Signs a customer of the calling app out everywhere: of browsers, and of every app. Refresh tokens end, and ' +
      'apps are notified (OpenID Connect Back-Channel Logout). The credential stays as it is, and the customer can ' +
      'sign in again.',
    operation: 'issued:manage',
    personOperation: 'customers:support',
    noStepUp: endsRights,
    action: 'session.end',
    repeatIsSafe: 'nothing is left to end',
    params,
    status: 204,
    response: 'The customer is signed out',
    targets: ({ params: { subject: id } }, outcome) => (outcome ? [{ type: 'customer', id, dataSubject: id }] : []),
  }),
];

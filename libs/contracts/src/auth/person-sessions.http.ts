import { endsRights } from '../http/endpoint.js';
import { http } from '../http/forwarded.js';
import { personTarget } from '../http/targets.js';
import { endPersonSessions, listPersonSessions, type PersonSession } from './person-sessions.js';

const tag = 'Admin API: own account';
const operation = 'account:manage';
const path = '/o/{shortId}/api/admin/users/me/sessions';

const example: { items: PersonSession[] } = {
  items: [
    {
      id: 'k3V0m1hYd7Qx2bWcZ9rLhFpEsGaUoNiYtRbVxMq8J5A',
      signedInAt: '2026-11-28T08:05:00.000Z',
      expiresAt: '2026-11-28T22:05:00.000Z',
      apps: [{ clientId: 'hub_acme', name: 'Hub' }],
      browser: true,
    },
  ],
};

export const personSessionEndpoints = [
  http(listPersonSessions, {
    id: 'listOwnSessions',
    method: 'GET',
    path,
    tag,
    summary: 'List the own sessions',
    description: 'Where the person whose token this is has signed in: browsers, and apps that stay signed in.',
    operation,
    action: 'session.list',
    response: 'The sessions, newest first, a hundred at most',
    example,
    targets: (_, outcome, { id }) => (outcome ? [personTarget(id)] : []),
  }),
  http(endPersonSessions, {
    id: 'endOwnSessions',
    method: 'DELETE',
    path,
    tag,
    summary: 'End all own sessions',
    description:
      'Signs the person out everywhere, here too: of browsers, of the hub and of every app. Refresh tokens end, and ' +
      'apps are notified (OpenID Connect Back-Channel Logout).',
    operation,
    noStepUp: endsRights,
    action: 'session.end',
    repeatIsSafe: 'nothing is left to end',
    status: 204,
    response: 'The person is signed out everywhere',
    targets: (_, __, { id }) => [personTarget(id)],
  }),
  http(endPersonSessions, {
    id: 'endOwnSession',
    method: 'DELETE',
    path: `${path}/{session}`,
    tag,
    summary: 'End an own session',
    description:
      'Signs the person out of one browser with its apps, or of one app. A session that has ended is no error.',
    operation,
    noStepUp: endsRights,
    action: 'session.end',
    repeatIsSafe: 'nothing is left to end',
    status: 204,
    response: 'The session has ended',
    targets: (_, __, { id }) => [personTarget(id)],
  }),
];

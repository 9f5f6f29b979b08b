import { http } from '../http/forwarded.js';
import { adminListKeys, adminRotateKeys, type IssuerKey } from './issuer-keys.js';

const tag = 'Admin API: organization';
const operation = 'organization:manage';

const example: { keys: IssuerKey[] } = {
  keys: [
    { kid: 'pUk3Jm0cW8vR', alg: 'RS256', state: 'signing', signsFrom: '2026-09-01T08:00:00.000Z' },
    { kid: 'x7Yt2LqDn5Zb', alg: 'RS256', state: 'next', signsFrom: '2026-11-28T10:00:00.000Z' },
  ],
};

export const issuerKeyEndpoints = [
  http(adminListKeys, {
    id: 'listIssuerKeys',
    method: 'GET',
    path: '/o/{shortId}/api/admin/keys',
    tag,
    summary: "List the issuer's signing keys",
    description: 'The keys at `jwks_uri`, with which apps verify tokens, and what each does at the moment.',
    operation,
    action: 'key.list',
    response: 'The published keys',
    example,
    targets: ({ params: { shortId: id } }) => [{ type: 'organization', id }],
  }),
  http(adminRotateKeys, {
    id: 'rotateIssuerKeys',
    method: 'POST',
    path: '/o/{shortId}/api/admin/keys/rotation',
    tag,
    summary: "Rotate the issuer's signing keys",
    description:
      'Publishes a new key of each algorithm at once. They sign when the overlap is over, so that apps which store ' +
      'the keys have loaded them. Earlier keys stay published until their last token has expired. A leaked key is ' +
      'retired by the operator: `holdfast key rotate --retire`.',
    operation,
    stepUp: true,
    repeatIsSafe: 'while new keys wait to sign, a further rotation is refused',
    action: 'key.rotate',
    body: adminRotateKeys.request.meta({ id: 'KeyRotation' }),
    bodies: { day: { summary: 'In a day', value: { overlapSeconds: 86_400 } } },
    response: 'The published keys after it',
    example,
    targets: ({ params: { shortId: id } }) => [{ type: 'organization', id }],
  }),
];

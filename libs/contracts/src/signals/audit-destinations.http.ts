import type { AuditTarget } from '../audit/audit-record.js';
import { http } from '../http/forwarded.js';
import {
  createAuditDestination,
  deleteAuditDestination,
  getAuditDestination,
  listAuditDestinations,
  pauseAuditDestination,
  rewindAuditDestination,
  rewindSchema,
  rotateDestinationSecret,
  rotatedSecretSchema,
  testAuditDestination,
  testResultSchema,
  updateAuditDestination,
  type AuditDestination,
} from './audit-destinations.js';

const tag = 'Admin API: audit';
/** A caller that may export the log may have it sent (docs/adr/0063-destinations-of-the-audit-log.md). */
const operation = 'audit:export';
const path = '/o/{shortId}/api/admin/audit/destinations';

const destinationTarget = (id: string): AuditTarget => ({ type: 'audit_destination', id });
const targets = ({ params: { id } }: { params: { id: string } }) => [destinationTarget(id)];

const example: AuditDestination = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  kind: 'https',
  description: 'Security data lake',
  format: 'native',
  settings: { url: 'https://siem.example/holdfast', encoding: 'ndjson' },
  state: 'active',
  createdAt: '2026-11-21T09:30:00.000Z',
  after: 1041,
  lag: { entries: 0, seconds: 0 },
  sent: 1041,
  rejected: 0,
  lastSuccessAt: '2026-11-21T10:02:11.204Z',
};
const secret = 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=';
/** The response of most changes. */
const changed = { response: 'The destination as it is now', member: 'destination' } as const;

export const auditDestinationEndpoints = [
  http(listAuditDestinations, {
    id: 'listAuditDestinations',
    method: 'GET',
    path,
    tag,
    summary: 'List destinations',
    description:
      'Where the audit log is sent, newest first, with how far each receiver is behind and why. See ' +
      'docs/audit-destinations.md.',
    operation,
    action: 'audit_destination.list',
    response: 'The destinations, ten at most',
    example: { items: [example] },
    targets: () => [],
  }),
  http(createAuditDestination, {
    id: 'createAuditDestination',
    method: 'POST',
    path,
    tag,
    summary: 'Create a destination',
    description:
      'From now on, or from `after`, each entry of the log is sent there: in order, at least once, with pseudonyms ' +
      'only. A receiver that fails is tried again without end and delays nothing else. Of the kind `https` only this ' +
      'response shows the secret that signs what is sent.',
    operation,
    action: 'audit_destination.create',
    stepUp: true,
    body: 'destination',
    bodies: {
      https: {
        summary: 'Signed batches to a server of your own',
        value: { kind: 'https', description: 'Security data lake', settings: { url: 'https://siem.example/holdfast' } },
      },
      splunk: {
        summary: 'Splunk, from the beginning of the log',
        value: {
          kind: 'splunk_hec',
          after: 0,
          settings: { url: 'https://splunk.example', index: 'audit' },
          credentials: { token: '8d3c9a6e-1b7f-4f0a-9f3e-2c5d7e8a9b10' },
        },
      },
      syslog: {
        summary: 'A syslog receiver, in OCSF',
        value: { kind: 'syslog', format: 'ocsf', settings: { host: 'syslog.example' } },
      },
    },
    status: 201,
    response: 'The destination is created',
    member: 'destination',
    example: { ...example, secret },
    targets: (_, outcome) => (outcome ? [destinationTarget(outcome.reply.destination.id)] : []),
    location: {
      of: 'the destination',
      path: ({ params: { shortId } }, { destination }) =>
        `/o/${shortId}/api/admin/audit/destinations/${destination.id}`,
    },
  }),
  http(getAuditDestination, {
    id: 'getAuditDestination',
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Get a destination',
    operation,
    action: 'audit_destination.read',
    response: 'The destination',
    example,
    targets,
  }),
  http(updateAuditDestination, {
    id: 'updateAuditDestination',
    method: 'PATCH',
    path: `${path}/{id}`,
    tag,
    summary: 'Change a destination',
    description:
      'Changes only the given members; `settings` and `credentials` are each replaced as a whole. The next attempt ' +
      'is made at once.',
    operation,
    action: 'audit_destination.update',
    stepUp: true,
    body: 'changes',
    bodies: {
      moved: { summary: 'Another address', value: { settings: { url: 'https://siem2.example/holdfast' } } },
      undescribed: { summary: 'Without description', value: { description: null } },
    },
    ...changed,
    example,
    targets,
  }),
  http(deleteAuditDestination, {
    id: 'deleteAuditDestination',
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Delete a destination',
    description: 'Nothing is sent there any more, except what is being sent right now.',
    operation,
    noStepUp: 'it only ends a copy of the log',
    action: 'audit_destination.delete',
    status: 204,
    response: 'The destination is deleted',
    targets,
  }),
  http(pauseAuditDestination, {
    id: 'pauseAuditDestination',
    method: 'POST',
    path: `${path}/{id}/pause`,
    tag,
    summary: 'Pause a destination',
    description: 'Nothing is sent until it is resumed, and nothing is lost: its place in the log stays.',
    operation,
    noStepUp: 'it only stops a copy of the log',
    action: 'audit_destination.pause',
    ...changed,
    example: { ...example, state: 'paused' },
    request: ({ params: { id } }) => ({ id, paused: true }),
    targets,
  }),
  http(pauseAuditDestination, {
    id: 'resumeAuditDestination',
    method: 'POST',
    path: `${path}/{id}/resume`,
    tag,
    summary: 'Resume a destination',
    description: 'Continues where it was paused. Of a destination that fails, the next attempt is made at once.',
    operation,
    stepUp: true,
    action: 'audit_destination.resume',
    ...changed,
    example,
    request: ({ params: { id } }) => ({ id, paused: false }),
    targets,
  }),
  http(rewindAuditDestination, {
    id: 'rewindAuditDestination',
    method: 'POST',
    path: `${path}/{id}/rewind`,
    tag,
    summary: 'Move a destination to another place in the log',
    description:
      'Sends the entries after `after`, although the receiver has confirmed them, or leaves out what is before.',
    operation,
    stepUp: true,
    action: 'audit_destination.rewind',
    body: rewindSchema,
    bodies: { beginning: { summary: 'From the beginning of the log', value: { after: 0 } } },
    ...changed,
    example: { ...example, after: 0, lag: { entries: 1041, seconds: 0.2 } },
    targets,
  }),
  http(testAuditDestination, {
    id: 'testAuditDestination',
    method: 'POST',
    path: `${path}/{id}/test`,
    tag,
    summary: 'Send a test entry to a destination',
    description:
      'Sends one entry with `seq` 0 and the action `audit_destination.test`, which is not of the log, and says ' +
      'whether the receiver has confirmed it. The place in the log stays.',
    operation,
    noStepUp: 'it sends no entry, and to the stored address only',
    action: 'audit_destination.test',
    response: 'What the receiver responded',
    schema: testResultSchema,
    example: { delivered: false, detail: 'the receiver responded with status 403: it refuses the credentials.' },
    targets,
  }),
  http(rotateDestinationSecret, {
    id: 'rotateAuditDestinationSecret',
    method: 'POST',
    path: `${path}/{id}/rotate-secret`,
    tag,
    summary: 'Rotate the secret of a destination',
    description:
      'Of the kind `https`: a new secret signs what is sent, and the earlier one as well for 24 hours, so that the ' +
      'receiver can change. Only this response shows it.',
    operation,
    action: 'audit_destination.rotate_secret',
    stepUp: true,
    status: 201,
    response: 'The new secret',
    schema: rotatedSecretSchema,
    example: { secret, previousUntil: '2026-11-22T09:30:00.000Z' },
    targets,
  }),
];

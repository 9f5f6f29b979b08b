import type { AuditTarget } from '../audit/audit-record.js';
import { http } from '../http/forwarded.js';
import { eventUrisFor } from './security-events.js';
import {
  changeStreamSubject,
  createOwnStream,
  deleteOwnStream,
  deliveryMethods,
  getOwnStreamStatus,
  newStreamSchema,
  newStreamStatusSchema,
  setOwnStreamStatus,
  streamChangesSchema,
  streamReplacementSchema,
  streamSubjectSchema,
  streamVerificationSchema,
  updateOwnStream,
  verifyStream,
  type SsfStream,
} from './ssf.js';

const tag = 'Shared Signals';
const read = 'ssf.read';
const manage = 'ssf.manage';
const ssf = '/o/{shortId}/ssf';
/** Programs only: no person has a scope of receivers. */
const ofReceiver = { tag, operation: manage, invalidBody: 400 } as const;

const streamId = '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04';
const [first = '', second = ''] = eventUrisFor('customers');
export const streamExample: SsfStream = {
  stream_id: streamId,
  iss: 'https://id.example/o/acme',
  aud: 'app_Rc3dE6gH9jK2mN5pQ8sT1v',
  events_supported: eventUrisFor('customers'),
  events_requested: [first, second],
  events_delivered: [first, second],
  delivery: { method: deliveryMethods.poll, endpoint_url: `https://id.example/o/acme/ssf/streams/${streamId}/poll` },
  min_verification_interval: 30,
  inactivity_timeout: 2_592_000,
};
const push = {
  method: deliveryMethods.push,
  endpoint_url: 'https://receiver.example/security-events',
  authorization_header: 'Bearer 8d3c9a6e1b7f4f0a',
};
const statusExample = { stream_id: streamId, status: 'enabled' as const };
const subjectExample = {
  stream_id: streamId,
  subject: { format: 'iss_sub', iss: 'https://id.example/o/acme', sub: '4f5c0e0a-0a45-4d43-8b4b-0b7a3d6b8f11' },
};

export const streamTarget = (id: string): AuditTarget => ({ type: 'ssf_stream', id });
const ofBody = ({ body }: { body: { stream_id: string } }) => [streamTarget(body.stream_id)];

const changeOf = (method: 'PATCH' | 'PUT', declared: { id: string; summary: string; description: string }) =>
  http(updateOwnStream, {
    ...ofReceiver,
    ...declared,
    method,
    path: `${ssf}/streams`,
    action: 'ssf_stream.update',
    body: method === 'PUT' ? streamReplacementSchema : streamChangesSchema,
    bodies: { push: { summary: 'Push to another address', value: { stream_id: streamId, delivery: push } } },
    request: ({ body }) => ({ stream: body, replaces: method === 'PUT' }),
    response: 'The stream as it is now',
    member: 'stream',
    example: streamExample,
    targets: ofBody,
  });

const subjectChange = (verb: 'add' | 'remove', declared: { summary: string; description: string }) =>
  http(changeStreamSubject, {
    ...ofReceiver,
    ...declared,
    id: `${verb}StreamSubject`,
    method: 'POST',
    path: `${ssf}/subjects/${verb}`,
    action: 'ssf_stream.subject',
    body: streamSubjectSchema,
    bodies: { subject: { summary: 'A customer', value: subjectExample } },
    request: ({ body }) => ({ subject: body, added: verb === 'add' }),
    ...(verb === 'add' ? { empty: true } : { status: 204 }),
    response: `The subject is ${verb === 'add' ? 'added' : 'removed'}, if it exists`,
    targets: ofBody,
  });

/** The API of receivers (SSF 1.0 §8); the poll, which waits, is a controller of its own. */
export const ssfEndpoints = [
  http(createOwnStream, {
    ...ofReceiver,
    id: 'createSsfStream',
    method: 'POST',
    path: `${ssf}/streams`,
    summary: 'Create a stream',
    description:
      'SSF 1.0 §8.1.1.1. The stream carries every event that this receiver may get, or those that it requests. See ' +
      'docs/shared-signals.md.',
    action: 'ssf_stream.create',
    body: newStreamSchema,
    bodies: {
      poll: { summary: 'To poll, everything', value: {} },
      push: { summary: 'To be pushed, one event', value: { events_requested: [first], delivery: push } },
    },
    request: ({ body }) => ({ stream: body }),
    status: 201,
    response: 'The stream is created',
    member: 'stream',
    example: streamExample,
    targets: (_, outcome) => (outcome ? [streamTarget(outcome.reply.stream.stream_id)] : []),
  }),
  changeOf('PATCH', {
    id: 'updateSsfStream',
    summary: 'Change a stream',
    description: 'SSF 1.0 §8.1.1.3. What is not given stays. What the transmitter sets must be as it is, if given.',
  }),
  changeOf('PUT', {
    id: 'replaceSsfStream',
    summary: 'Replace a stream',
    description:
      'SSF 1.0 §8.1.1.4. What is not given is removed, `authorization_header` too, which no response shows. What the ' +
      'transmitter sets must be as it is, if given.',
  }),
  http(deleteOwnStream, {
    ...ofReceiver,
    id: 'deleteSsfStream',
    method: 'DELETE',
    path: `${ssf}/streams`,
    summary: 'Delete a stream',
    description: 'SSF 1.0 §8.1.1.5. What waits is deleted with it.',
    action: 'ssf_stream.delete',
    query: { stream_id: deleteOwnStream.request.shape.stream_id },
    request: ({ query }) => ({ stream_id: query.stream_id }),
    status: 204,
    response: 'The stream is deleted',
    targets: ({ query }) => [streamTarget(query.stream_id)],
  }),
  http(getOwnStreamStatus, {
    tag,
    operation: read,
    id: 'getSsfStreamStatus',
    method: 'GET',
    path: `${ssf}/status`,
    summary: 'Get the status of a stream',
    description: 'SSF 1.0 §8.1.2.1.',
    action: 'ssf_stream.read',
    query: { stream_id: getOwnStreamStatus.request.shape.stream_id },
    request: ({ query }) => ({ stream_id: query.stream_id }),
    response: 'The status',
    example: statusExample,
    targets: ({ query }) => [streamTarget(query.stream_id)],
  }),
  http(setOwnStreamStatus, {
    ...ofReceiver,
    id: 'setSsfStreamStatus',
    method: 'POST',
    path: `${ssf}/status`,
    summary: 'Change the status of a stream',
    description: 'SSF 1.0 §8.1.2.2. `paused` keeps tokens and sends them later; `disabled` has none.',
    action: 'ssf_stream.pause',
    body: newStreamStatusSchema,
    bodies: {
      paused: { summary: 'Pause', value: { ...statusExample, status: 'paused', reason: 'Maintenance' } },
    },
    request: ({ body }) => ({ status: body }),
    response: 'The status as it is now',
    member: 'status',
    example: { ...statusExample, status: 'paused', reason: 'Maintenance' },
    targets: ofBody,
  }),
  subjectChange('add', {
    summary: 'Add a subject to a stream',
    description:
      'SSF 1.0 §8.1.3.2. Of a stream with `default_subjects` NONE it has an effect at once; of ALL it takes a ' +
      'removal back. The response is the same for a subject that does not exist.',
  }),
  subjectChange('remove', {
    summary: 'Remove a subject from a stream',
    description: 'SSF 1.0 §8.1.3.3. What waits about it is not sent.',
  }),
  http(verifyStream, {
    ...ofReceiver,
    id: 'verifySsfStream',
    method: 'POST',
    path: `${ssf}/verification`,
    summary: 'Request a verification event',
    description: 'SSF 1.0 §8.1.4.2. It follows what waits in the stream.',
    action: 'ssf_stream.verify',
    body: streamVerificationSchema,
    bodies: { state: { summary: 'With a state', value: { stream_id: streamId, state: 'VGhpcyBpcyBhIHRlc3Q' } } },
    request: ({ body }) => ({ verification: body }),
    status: 204,
    response: 'The verification event is in the stream',
    without: ['rate_limited'],
    targets: ofBody,
  }),
];

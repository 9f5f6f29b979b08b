import { expect, test } from '@jest/globals';
import formats from 'ajv-formats';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { actionNames, outcomes, type Action, type AuditEvent } from '@holdfast/contracts';
import { ocsfEventOf, type OcsfEvent } from './ocsf-event.js';
import { ocsfClasses, ocsfVersion } from './ocsf-schema.fixture.js';

const ajv = formats.default(new Ajv2020({ allErrors: true, strictRequired: false, strictTypes: false }));
const validators = new Map(Object.entries(ocsfClasses).map(([uid, schema]) => [Number(uid), ajv.compile(schema)]));

/** What the schema of the event's class objects to. */
function errorsOf(event: OcsfEvent): string[] {
  const validate = validators.get(event.class_uid);
  if (!validate) return [`class_uid ${event.class_uid} is unknown`];
  validate(event);
  return (validate.errors ?? []).map(
    ({ instancePath, message, params }) => `${instancePath} ${message} ${JSON.stringify(params)}`,
  );
}

const eventOf = (action: Action, given: Partial<AuditEvent> = {}): AuditEvent => ({
  id: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03',
  seq: 3,
  occurredAt: '2026-11-21T09:30:00.000Z',
  action,
  actor: { type: 'app', id: 'app_1', name: 'shop' },
  targets: [{ type: 'customer', id: '7PZMeCBbhM-pl2DaAzNkGA' }],
  outcome: { result: 'success', status: 201 },
  request: { id: 'request-1', traceparent: '00-1-2-01', method: 'POST', route: '/o/{shortId}/api' },
  ...given,
});

const actors: AuditEvent['actor'][] = [
  { type: 'app', id: 'app_1', name: 'shop' },
  { type: 'operator', id: 'operator', name: 'operator' },
  { type: 'system', id: 'issuance' },
  { type: 'customer', id: '7PZMeCBbhM-pl2DaAzNkGA', pseudonym: 'pseudonym-1' },
  { type: 'person', id: 'pseudonym-2' },
  { type: 'anonymous', id: 'anonymous' },
];
const targetLists: AuditEvent['targets'][] = [
  [],
  [{ type: 'customer', id: '7PZMeCBbhM-pl2DaAzNkGA', pseudonym: 'pseudonym-1' }],
  [{ type: 'group', id: 'group-1' }],
  [
    { type: 'group', id: 'group-1' },
    { type: 'person', id: 'pseudonym-2' },
    { type: 'person', id: 'pseudonym-3' },
  ],
  [
    { type: 'app', id: 'app_2' },
    { type: 'credential', id: 'credential-1' },
  ],
];
const results: AuditEvent['outcome'][] = outcomes.flatMap((result) => [
  { result },
  { result, status: 403, code: 'access_denied', count: 7, replay: true },
]);
const request = { id: 'request-1', traceparent: '00-1-2-01', route: '/o/{shortId}/api' };
const requests: AuditEvent['request'][] = [
  { ...request, method: 'GET' },
  { ...request, method: 'PATCH', address: '198.51.100.23', userAgent: 'Browser' },
  { ...request, method: 'CLI', address: '2001:db8::7' },
];

test.each(actionNames)('%s follows the schema of OCSF with every actor, target, outcome and request', (action) => {
  const events = actors.flatMap((actor) =>
    targetLists.flatMap((targets) =>
      results.flatMap((outcome) =>
        requests.map((request) =>
          ocsfEventOf('acme', eventOf(action, { actor, targets, outcome, request, changes: { name: { to: 'b' } } })),
        ),
      ),
    ),
  );
  expect(events).toHaveLength(actors.length * targetLists.length * results.length * requests.length);
  expect([...new Set(events.flatMap(errorsOf))]).toEqual([]);
});

test('an attribute that OCSF lacks, a missing one, and the type of another activity violate the schema', () => {
  const event = ocsfEventOf('acme', eventOf('subject.read'));
  expect(errorsOf({ ...event, invented: 1 })).toEqual([expect.stringContaining('"additionalProperty":"invented"')]);
  expect(errorsOf({ ...event, metadata: { ...event.metadata, invented: 1 } } as OcsfEvent)).toEqual([
    expect.stringContaining('/metadata must NOT have additional properties'),
  ]);
  expect(errorsOf({ ...event, api: undefined })).not.toEqual([]);
  expect(errorsOf({ ...event, type_uid: 600_301 })).not.toEqual([]);
});

test('an event has the time, id and place of the entry, and the organization', () => {
  expect(ocsfEventOf('acme', eventOf('offer.create'))).toMatchObject({
    severity_id: 1,
    status_id: 1,
    time: Date.parse('2026-11-21T09:30:00.000Z'),
    metadata: { version: ocsfVersion, uid: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03', sequence: 3, tenant_uid: 'acme' },
  });
});

test.each<[Action, number, number]>([
  ['customer.sign_in', 3002, 1],
  ['user.sign_out', 3002, 2],
  ['offer.create', 3004, 1],
  ['credential.suspend', 3004, 12],
  ['credential.resume', 3004, 13],
  ['subject.erase', 3004, 4],
  ['app.disable', 3004, 9],
  ['group.create', 3004, 1],
  ['group.delete', 3004, 4],
  ['subject.list', 6003, 2],
  ['token.issue', 6003, 99],
  ['request.denied', 6003, 99],
])('%s is of class %i with activity %i', (action, classUid, activityId) => {
  expect(ocsfEventOf('acme', eventOf(action))).toMatchObject({ class_uid: classUid, activity_id: activityId });
});

test('each class has the attributes that it requires', () => {
  expect(ocsfEventOf('acme', eventOf('customer.sign_in'))).toMatchObject({
    user: { uid: '7PZMeCBbhM-pl2DaAzNkGA' },
    service: { name: 'Holdfast' },
  });
  expect(ocsfEventOf('acme', eventOf('offer.create'))).toMatchObject({
    entity: { type: 'customer', uid: '7PZMeCBbhM-pl2DaAzNkGA' },
  });
  expect(ocsfEventOf('acme', eventOf('key.rotate', { targets: [] }))).toMatchObject({
    entity: { type: 'organization', uid: 'acme' },
  });
  const group: AuditEvent['targets'][number] = { type: 'group', id: 'group-1' };
  expect(ocsfEventOf('acme', eventOf('group.create', { targets: [group] }))).toMatchObject({
    entity: { type: 'group', uid: 'group-1' },
  });
  const targets = [group, { type: 'person', id: 'person-1' } as const];
  expect(ocsfEventOf('acme', eventOf('group.member.add', { targets }))).toMatchObject({
    class_uid: 3006,
    activity_id: 3,
    group: { uid: 'group-1' },
    user: { uid: 'person-1' },
  });
  expect(ocsfEventOf('acme', eventOf('subject.read'))).toMatchObject({
    api: { operation: 'POST /o/{shortId}/api', request: { uid: 'request-1' }, response: { code: 201 } },
    actor: { app_uid: 'app_1', app_name: 'shop' },
    src_endpoint: { name: 'app_1' },
  });
});

test('a person is a user, a denied request has failed, and what OCSF lacks is unmapped', () => {
  const outcome = { result: 'denied', status: 403, code: 'insufficient_scope', count: 7 } as const;
  const { request } = eventOf('request.denied');
  const event = ocsfEventOf(
    'acme',
    eventOf('request.denied', {
      actor: { type: 'person', id: 'pseudonym' },
      outcome,
      request: { ...request, address: '198.51.100.23', userAgent: 'Browser' },
    }),
  );
  expect(event).toMatchObject({
    actor: { user: { uid: 'pseudonym' } },
    severity_id: 3,
    status_id: 2,
    status_code: 'insufficient_scope',
    src_endpoint: { ip: '198.51.100.23' },
    http_request: { user_agent: 'Browser' },
    unmapped: { count: 7, result: 'denied', actorType: 'person' },
  });
});

test('a request that names no member of a group is API Activity, since Group Management requires a user', () => {
  const targets: AuditEvent['targets'] = [{ type: 'group', id: 'group-1' }];
  expect(ocsfEventOf('acme', eventOf('group.member.add', { targets }))).toMatchObject({
    class_uid: 6003,
    activity_id: 99,
    activity_name: 'group.member.add',
  });
});

test.each(['PATCH', 'CLI'])('the method %s, which OCSF 1.3.0 lacks, is unmapped', (method) => {
  const event = ocsfEventOf('acme', eventOf('app.update', { request: { ...request, method } }));
  expect(event).toMatchObject({ unmapped: { method } });
  expect(event.http_request).toEqual({ uid: 'request-1' });
});

import { expect, test } from '@jest/globals';
import { actionNames, type Action, type AuditEvent } from '@holdfast/contracts';
import { ocsfEventOf } from './ocsf-event.js';

/** Activities that OCSF 1.3.0 defines, without 0 (unknown) and 99 (other). */
const defined: Record<number, readonly number[]> = {
  3002: [1, 2, 3, 4, 5, 6, 7],
  3004: [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13],
  3006: [1, 2, 3, 4, 5, 6],
  6003: [1, 2, 3, 4],
};

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

test.each(actionNames)('%s has a class, and an activity that this class defines', (action) => {
  const event = ocsfEventOf('acme', eventOf(action));
  expect(Object.keys(defined)).toContain(String(event.class_uid));
  expect([...defined[event.class_uid]!, 99]).toContain(event.activity_id);
  expect(event).toMatchObject({
    type_uid: event.class_uid * 100 + event.activity_id,
    category_uid: Math.floor(event.class_uid / 1000),
    severity_id: 1,
    status_id: 1,
    time: Date.parse('2026-11-21T09:30:00.000Z'),
    metadata: { version: '1.3.0', uid: '019aa5f2-7c1f-7a42-b1c3-2d0e9f8a7b03', sequence: 3, tenant_uid: 'acme' },
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
  ['group.member.add', 3006, 3],
  ['group.delete', 3006, 5],
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
  const targets: AuditEvent['targets'] = [{ type: 'group', id: 'group-1' }];
  expect(ocsfEventOf('acme', eventOf('group.create', { targets }))).toMatchObject({ group: { uid: 'group-1' } });
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

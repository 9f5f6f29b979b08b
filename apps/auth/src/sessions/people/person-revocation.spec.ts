import { describe, expect, test } from '@jest/globals';
import { directoryEventSchema, streams, type DirectoryEvent } from '@holdfast/contracts';
import { planOf } from './person-revocation.js';

const [user, group, app, at] = ['u1', 'g1', 'app_1', '2026-11-22T10:00:00.000Z'];
const event = (type: DirectoryEvent['type'], more: Partial<DirectoryEvent> = {}): DirectoryEvent => ({
  id: 'e',
  type,
  org: 'acme',
  version: 7,
  occurredAt: at,
  requestId: 'r',
  traceparent: 't',
  ...more,
});

describe('planOf', () => {
  test.each(['user.deactivated', 'user.activated'] as const)('%s revokes every earlier sign-in', (type) => {
    expect(planOf([event(type, { user })])).toEqual({
      revocations: [{ org: 'acme', subject: user, version: 7, erased: false, at }],
      checks: [],
    });
  });

  test.each(['user.erasure_started', 'user.removed'] as const)('%s deletes everything of the person', (type) => {
    expect(planOf([event(type, { user })]).revocations).toMatchObject([{ subject: user, erased: true }]);
  });

  test.each([
    ['user.updated', { user }, { person: user }],
    ['group.member_removed', { user, data: { user, group } }, { person: user }],
    ['assignment.ended', { user, app, data: { app, user } }, { person: user, clientId: app }],
    ['assignment.ended', { group, app, data: { app, group } }, { clientId: app }],
  ] as const)('%s %j leads to a check of %j', (type, more, check) => {
    expect(planOf([event(type, more)])).toEqual({ revocations: [], checks: [{ org: 'acme', ...check }] });
  });

  test('checks nothing twice, and nothing that another check includes', () => {
    const checksOf = (...events: DirectoryEvent[]) => planOf(events).checks;
    const removed = event('group.member_removed', { user });
    const ended = event('assignment.ended', { user, app });
    const endedOfGroup = event('assignment.ended', { group, app });
    expect(checksOf(removed, removed, ended)).toEqual([{ org: 'acme', person: user }]);
    expect(checksOf(ended, endedOfGroup)).toEqual([{ org: 'acme', clientId: app }]);
    expect(checksOf(removed, { ...ended, org: 'globex' }, endedOfGroup)).toEqual([
      { org: 'acme', person: user },
      { org: 'globex', person: user, clientId: app },
      { org: 'acme', clientId: app },
    ]);
  });

  test('finds something to do for exactly the events that auth gets, besides new organizations', () => {
    const useful = directoryEventSchema.shape.type.options.filter((type) => {
      const { revocations, checks } = planOf([event(type, { user, group, app })]);
      return revocations.length + checks.length > 0;
    });
    expect([...useful, 'organization.created'].sort()).toEqual(streams.directory.filters.auth);
  });
});

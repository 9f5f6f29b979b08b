import { describe, expect, it } from '@jest/globals';
import { operationsOf, type DirectoryEvent } from '@holdfast/contracts';
import { lostRights } from './lost-rights.js';

const event = (members: Partial<DirectoryEvent>) => ({ org: 'acme', ...members }) as DirectoryEvent;

describe('what a maker may still do after an event of directory', () => {
  it.each<[string, Partial<DirectoryEvent>, object]>([
    [
      'an app that lost a grant',
      { type: 'app.updated', app: 'a', operations: ['issued:read'] },
      { type: 'app', id: 'a', operations: ['issued:read'], removed: false },
    ],
    [
      'an app that was deleted',
      { type: 'app.deleted', app: 'a', operations: [] },
      { type: 'app', id: 'a', operations: [], removed: false },
    ],
    [
      'a person who is deactivated',
      { type: 'user.deactivated', user: 'p' },
      { type: 'person', id: 'p', operations: [], removed: false },
    ],
    [
      'a person who is removed',
      { type: 'user.erasure_started', user: 'p' },
      { type: 'person', id: 'p', operations: [], removed: true },
    ],
    [
      'a person with other roles',
      { type: 'role.changed', user: 'p', data: { roles: ['support'] } },
      { type: 'person', id: 'p', operations: operationsOf(['support']), removed: false },
    ],
  ])('is known of %s', (_, members, expected) => {
    expect(lostRights(event(members))).toEqual({ org: 'acme', ...expected });
  });

  it.each<[string, Partial<DirectoryEvent>]>([
    ['an app that only changed', { type: 'app.updated', app: 'a' }],
    ['a person who only changed', { type: 'user.updated', user: 'p' }],
    ['a group', { type: 'group.created', group: 'g' }],
    ['an app that a person was assigned to', { type: 'assignment.created', user: 'p', app: 'a' }],
  ])('is unchanged for %s', (_, members) => {
    expect(lostRights(event(members))).toBeUndefined();
  });
});

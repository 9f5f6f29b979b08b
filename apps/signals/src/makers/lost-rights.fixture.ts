import { randomUUID } from 'node:crypto';
import type { Actor, DirectoryEvent, Role } from '@holdfast/contracts';

export const anApp = (): Actor => ({ type: 'app', id: `app_${randomUUID()}`, name: 'Exporter' });
export const aPerson = (): Actor => ({ type: 'person', id: randomUUID() });

/**
 * Each way in which the right of a maker to something ends, as directory's event says it.
 *
 * @param left what an app may still do
 * @param role a role without the operation
 */
export function lossesOf(
  left: string,
  role: Role,
): [name: string, newActor: () => Actor, eventOf: (actor: Actor) => Partial<DirectoryEvent>][] {
  return [
    ['an app that is disabled', anApp, ({ id }) => ({ type: 'app.updated', app: id, operations: [] })],
    ['an app that loses the operation', anApp, ({ id }) => ({ type: 'app.updated', app: id, operations: [left] })],
    ['an app that is deleted', anApp, ({ id }) => ({ type: 'app.deleted', app: id, operations: [] })],
    ['a person who is deactivated', aPerson, ({ id }) => ({ type: 'user.deactivated', user: id })],
    ['a person who is removed', aPerson, ({ id }) => ({ type: 'user.erasure_started', user: id })],
    ['a person who loses the role', aPerson, ({ id }) => ({ type: 'role.changed', user: id, data: { roles: [role] } })],
  ];
}

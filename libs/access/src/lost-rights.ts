import { operationsOf, type DirectoryEvent, type DomainEvent, type EventData } from '@holdfast/contracts';

/** What a maker may still do after an event by which it may have lost rights (product §4). */
export interface LostRights {
  org: string;
  type: 'app' | 'person';
  id: string;
  /** What is left; empty for a maker that may do nothing any more. */
  operations: readonly string[];
  /** The person was removed: no row may name them any more. */
  removed: boolean;
}

/** Reads an event of directory. Undefined for one by which nobody loses a right. */
export function lostRights(event: DomainEvent): LostRights | undefined {
  const { org, type } = event;
  const { app, operations, user, data } = event as DirectoryEvent;
  if ((type === 'app.updated' || type === 'app.deleted') && app !== undefined)
    return operations && { org, type: 'app', id: app, operations, removed: false };
  if (user === undefined) return undefined;
  const removed = type === 'user.erasure_started' || type === 'user.removed';
  if (removed || type === 'user.deactivated') return { org, type: 'person', id: user, operations: [], removed };
  if (type !== 'role.changed') return undefined;
  const { roles } = data as EventData<'role.changed'>;
  return { org, type: 'person', id: user, operations: operationsOf(roles), removed: false };
}

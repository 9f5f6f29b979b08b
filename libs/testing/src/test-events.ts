import { randomUUID } from 'node:crypto';
import type { DirectoryEvent } from '@holdfast/contracts';

/** The members that every event has, for an event of organization `acme`. */
export function eventBase() {
  return {
    id: randomUUID(),
    occurredAt: new Date().toISOString(),
    org: 'acme',
    version: 1,
    requestId: 'r',
    traceparent: '00-0-0-01',
  };
}

/** An event about the app `app-1`. */
export function appEvent(type: 'app.created' | 'app.updated' = 'app.updated'): DirectoryEvent {
  return { ...eventBase(), type, app: 'app-1' };
}

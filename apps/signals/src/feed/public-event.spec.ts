import { describe, expect, it } from '@jest/globals';
import type { CustomerEvent, DirectoryEvent } from '@holdfast/contracts';
import { publicEventsOf } from './public-event.js';

const now = new Date('2026-11-21T09:30:00.000Z');
const subject = '5b0c9f0e-3f0a-4c39-9a35-6d3c1f5d7a10';
const base = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  occurredAt: now.toISOString(),
  org: 'acme',
  version: 2,
  requestId: 'r',
  traceparent: 't',
};
const revoked = (data: Record<string, string>): CustomerEvent => ({
  ...base,
  type: 'credential.revoked',
  subject,
  data,
});
const ids = { subject, credentialId: '019aa5f2-7c1e-7d20-8f11-5e2b9c4d6a01', credentialType: 'customer' };

describe('the public event of a domain event', () => {
  it('has its data, and a hash of its customer or app', () => {
    const [event] = publicEventsOf(revoked(ids), now);
    expect(event).toMatchObject({ org: 'acme', type: 'credential.revoked', version: 2, data: ids });
    expect(event!.key).toMatch(/^[0-9a-f]{64}$/);
  });

  it('has no members that the schema of its type does not name', () => {
    expect(publicEventsOf(revoked({ ...ids, reason: 'stolen' }), now)[0]!.data).toEqual(ids);
  });

  it('does not exist for internal events', () => {
    expect(publicEventsOf({ ...base, type: 'organization.updated' } satisfies DirectoryEvent, now)).toEqual([]);
    expect(
      publicEventsOf({ ...base, type: 'credential_type.created', setting: 'credential_type/customer' }, now),
    ).toEqual([]);
  });

  it('has no data when an erasure has started, and the subject when it is confirmed', () => {
    const reduced = (event: CustomerEvent) => publicEventsOf(event, now).map(({ erases, data }) => ({ erases, data }));
    expect(reduced({ ...base, type: 'subject.erasure_started', subject })).toEqual([{ erases: true }]);
    expect(reduced({ ...base, type: 'subject.erased', subject, data: { subject } })).toEqual([
      { erases: true, data: { subject } },
    ]);
  });

  it('throws when the data does not match its schema', () => {
    expect(() => publicEventsOf(revoked({ subject }), now)).toThrow(/credentialId/);
  });
});

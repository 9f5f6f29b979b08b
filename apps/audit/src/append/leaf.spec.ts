import { describe, expect, it } from '@jest/globals';
import type { AuditRecord } from '@holdfast/contracts';
import { identifiersIn } from '../privacy/pseudonyms.js';
import { eventOf, leafOf, pseudonymsIn } from './leaf.js';

const pseudonym = 'AAAAAAAAAAAAAAAAAAAAAA';
const record: AuditRecord = {
  id: '00000000-0000-4000-8000-000000000001',
  occurredAt: '2026-11-21T09:30:00.000Z',
  action: 'offer.create',
  actor: { type: 'app', id: 'app-1', name: 'Shöp' },
  targets: [
    { type: 'customer', id: 'c', dataSubject: 'c' },
    { type: 'app', id: 'app-1' },
  ],
  outcome: { result: 'success', status: 201 },
  request: { id: 'r', traceparent: 't', method: 'POST', route: '/offers' },
  changes: { status: { to: 'offered' } },
};

describe('a leaf', () => {
  const leaf = leafOf(record, (value) => (value === 'c' ? pseudonym : undefined));

  it('has exactly these bytes, which never change', () => {
    expect(leaf.bytes.toString()).toBe(
      `{"id":"00000000-0000-4000-8000-000000000001","occurredAt":"2026-11-21T09:30:00.000Z","action":"offer.create",` +
        `"actor":{"type":"app","id":"app-1","name":"Shöp"},` +
        `"targets":[{"type":"customer","id":"${pseudonym}"},{"type":"app","id":"app-1"}],` +
        `"outcome":{"result":"success","status":201},` +
        `"request":{"id":"r","traceparent":"t","method":"POST","route":"/offers"},` +
        `"changes":{"status":{"to":"offered"}}}`,
    );
  });

  it('has columns with the actor, and with pseudonyms of its targets', () => {
    expect(leaf).toMatchObject({ actorId: 'app-1', targets: [pseudonym, 'app-1'] });
    expect(pseudonymsIn(leaf.bytes)).toEqual([pseudonym]);
  });

  it('yields the record again, with pseudonyms only where no mapping exists', () => {
    const targets = (customer: object) => [
      { type: 'customer', ...customer },
      { type: 'app', id: 'app-1' },
    ];
    expect(eventOf(7, leaf.bytes, new Map([[pseudonym, { value: 'c' }]]))).toEqual({
      ...record,
      seq: 7,
      targets: targets({ id: 'c', pseudonym }),
    });
    expect(eventOf(7, leaf.bytes, new Map())).toEqual({ ...record, seq: 7, targets: targets({ id: pseudonym }) });
  });
});

describe('a customer who is the actor', () => {
  const acting = { ...record, actor: { type: 'customer', id: 'c', name: 'Ada' }, targets: [] } as AuditRecord;

  it('appears as a pseudonym, and never with a name', () => {
    expect(identifiersIn(acting)).toEqual([{ value: 'c', dataSubject: 'c' }]);
    const leaf = leafOf(acting, () => pseudonym);
    expect(leaf.actorId).toBe(pseudonym);
    expect(leaf.bytes.toString()).not.toContain('Ada');
    expect(eventOf(1, leaf.bytes, new Map([[pseudonym, { value: 'c' }]])).actor).toEqual({
      type: 'customer',
      id: 'c',
      pseudonym,
    });
  });
});

import { describe, expect, it } from '@jest/globals';
import { refusalOf, statusAt } from './access-request.js';

const now = new Date('2026-11-21T09:30:00.000Z');
const later = (ms: number) => new Date(now.getTime() + ms);
const person = { actor: { type: 'person' as const, id: 'p' } };
const approver = { actor: { type: 'person' as const, id: 'q' } };
const program = { actor: { type: 'app' as const, id: 'p' } };
const pending = { person: 'p', status: 'pending' as const, expiresAt: later(1), decidedAt: null };

describe('refusalOf', () => {
  it('lets the person withdraw, and others decide, while the request is pending', () => {
    expect(refusalOf('withdraw', pending, person, now)).toBeUndefined();
    for (const caller of [approver, program, { actor: { type: 'operator' as const, id: 'operator' } }])
      for (const act of ['approve', 'deny'] as const) expect(refusalOf(act, pending, caller, now)).toBeUndefined();
  });

  it('refuses people who decide their own request, whatever its state, and who withdraw that of another', () => {
    for (const status of ['pending', 'approved', 'denied'] as const)
      for (const act of ['approve', 'deny'] as const)
        expect(refusalOf(act, { ...pending, status }, person, now)).toEqual({ code: 'own_request' });
    for (const caller of [approver, program])
      expect(refusalOf('withdraw', pending, caller, now)).toEqual({ code: 'unknown_access_request' });
  });

  it('says the outcome of a request that was decided, or that expired a moment ago', () => {
    const denied = { ...pending, status: 'denied' as const, decidedAt: later(-1000) };
    expect(refusalOf('approve', denied, approver, now)).toEqual({
      code: 'invalid_state',
      detail: 'The access request is denied since 2026-11-21T09:29:59.000Z.',
    });
    expect(refusalOf('approve', pending, approver, later(1))).toMatchObject({
      detail: 'The access request is expired since 2026-11-21T09:30:00.001Z.',
    });
    expect([statusAt(pending, now), statusAt(pending, later(1))]).toEqual(['pending', 'expired']);
  });
});

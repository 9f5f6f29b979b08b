import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { UsedProofs } from './used-proofs.js';

const lifetimeMs = 100;

describe('UsedProofs', () => {
  it('accepts no proof twice within its lifetime, in any sequence', () => {
    const step = fc.record({ jti: fc.integer({ min: 0, max: 3 }), waitMs: fc.integer({ min: 0, max: 60 }) });
    fc.assert(
      fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
        const used = new UsedProofs(lifetimeMs);
        const acceptedAt = new Map<number, number>();
        let nowMs = 0;
        for (const { jti, waitMs } of steps) {
          nowMs += waitMs;
          const last = acceptedAt.get(jti);
          if (!used.add('app', 'key', String(jti), nowMs)) continue;
          if (last !== undefined && nowMs - last < lifetimeMs) return false;
          acceptedAt.set(jti, nowMs);
        }
        return true;
      }),
    );
  });

  it('tells keys apart, and forgets proofs after two lifetimes', () => {
    const used = new UsedProofs(lifetimeMs);
    expect([used.add('app', 'k1', 'j', 0), used.add('app', 'k2', 'j', 0), used.add('app', 'k1', 'j', 99)]).toEqual([
      true,
      true,
      false,
    ]);
    expect(used.add('app', 'k1', 'j', 200)).toBe(true);
  });

  it('refuses further proofs of one app, and then of all, when there is no room to remember them', () => {
    const used = new UsedProofs(lifetimeMs, { all: 3, perApp: 2 });
    const add = (app: string, jti: string) => () => used.add(app, 'k', jti, 0);
    expect([add('a', '1')(), add('a', '2')()]).toEqual([true, true]);
    expect(add('a', '3')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    expect(add('b', '4')()).toBe(true);
    expect(add('c', '5')).toThrow(expect.objectContaining({ code: 'unavailable' }));
    expect(used.add('a', 'k', '6', lifetimeMs)).toBe(true);
  });
});

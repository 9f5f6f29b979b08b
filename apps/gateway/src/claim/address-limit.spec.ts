import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { AddressLimit } from './address-limit.js';

describe('the limit of an address', () => {
  it('lets a minute\'s worth through at once, and then as it fills', () => {
    const limit = new AddressLimit(60);
    for (let i = 0; i < 60; i += 1) expect(limit.take('192.0.2.1', 0)).toBe(0);
    expect(limit.take('192.0.2.1', 0)).toBe(1);
    expect(limit.take('192.0.2.1', 999)).toBe(1);
    expect(limit.take('192.0.2.2', 999)).toBe(0);
    expect(limit.take('192.0.2.1', 1000)).toBe(0);
    expect(limit.take('192.0.2.1', 1000)).toBe(1);
  });

  it('says how long to wait', () => {
    const limit = new AddressLimit(1);
    expect(limit.take('192.0.2.1', 0)).toBe(0);
    expect(limit.take('192.0.2.1', 15_000)).toBe(45);
    expect(limit.take('192.0.2.1', 60_000)).toBe(0);
  });

  it('lets no more through in any time than a bucket and what has filled since', () => {
    fc.assert(fc.property(fc.integer({ min: 1, max: 100 }), fc.array(fc.nat(10_000), { maxLength: 300 }), (perMinute, pauses) => {
      const limit = new AddressLimit(perMinute);
      let now = 0;
      const passed = pauses.filter((pause) => limit.take('192.0.2.1', (now += pause)) === 0).length;
      expect(passed).toBeLessThanOrEqual(perMinute + (now / 60_000) * perMinute + 1e-6);
    }));
  });

  it('remembers so many addresses and no more', () => {
    const limit = new AddressLimit(1, 2);
    for (const address of ['192.0.2.1', '192.0.2.2', '192.0.2.3']) expect(limit.take(address, 0)).toBe(0);
    expect(limit.take('192.0.2.3', 0)).toBe(60);
    expect(limit.take('192.0.2.1', 0)).toBe(0);
  });
});

import { describe, expect, it, test } from '@jest/globals';
import fc from 'fast-check';
import { requireTerms } from './terms.js';
import { addDuration, durationBounds } from './validity.js';

describe('the terms of a credential type', () => {
  it.each([
    {},
    { validity: 'P1Y' },
    { validity: 'P1Y', renewalWindow: 'P30D' },
    { validity: 'PT24H' },
    { validity: 'P1Y', renewalWindow: 'P11M' },
    { validity: 'P12M', renewalWindow: 'P364D' },
    { validity: 'PT10S', renewalWindow: 'PT9S' },
    { validity: 'P100Y' },
    { holders: ['passkey'] },
    { holders: ['wallet', 'passkey'] },
  ])('may be %j', (terms) => {
    expect(() => requireTerms(terms)).not.toThrow();
  });

  it.each([
    [{ renewalWindow: 'P30D' }, '#/renewalWindow'],
    [{ validity: 'P30D', renewalWindow: 'P30D' }, '#/renewalWindow'],
    [{ validity: 'PT24H', renewalWindow: 'P2D' }, '#/renewalWindow'],
    // In February the month ends before the window opens.
    [{ validity: 'P1M', renewalWindow: 'P28D' }, '#/renewalWindow'],
    [{ validity: 'P1Y', renewalWindow: 'P12M' }, '#/renewalWindow'],
    [{ validity: 'P1Y', renewalWindow: 'PT0S' }, '#/renewalWindow'],
    [{ validity: 'PT0S' }, '#/validity'],
    [{ validity: 'P101Y' }, '#/validity'],
    [{ holders: ['wallet'] }, '#/holders'],
    [{ validity: `P${'9'.repeat(35)}D` }, '#/validity'],
  ])('cannot be %j', (terms, pointer) => {
    expect(() => requireTerms(terms)).toThrow(
      expect.objectContaining({
        code: 'invalid_request',
        status: 422,
        errors: expect.arrayContaining([expect.objectContaining({ pointer })]),
      }),
    );
  });
});

test('a duration lies between its bounds, whenever it begins', () => {
  const units = fc.record({ Y: fc.nat(20), M: fc.nat(30), W: fc.nat(8), D: fc.nat(400) });
  const from = fc.date({ min: new Date('1999-01-01'), max: new Date('2105-01-01'), noInvalidDate: true });
  fc.assert(
    fc.property(from, units, (begin, { Y, M, W, D }) => {
      const duration = `P${Y}Y${M}M${W}W${D}D`;
      const { minMs, maxMs } = durationBounds(duration);
      const taken = addDuration(begin, duration).getTime() - begin.getTime();
      expect(taken).toBeGreaterThanOrEqual(minMs);
      expect(taken).toBeLessThanOrEqual(maxMs);
    }),
    { numRuns: 2000 },
  );
});

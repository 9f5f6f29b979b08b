import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { addDuration, expirationAfter } from './validity.js';

const at = (text: string) => new Date(text);

describe('adding a duration', () => {
  it.each([
    ['2026-01-31T10:00:00Z', 'P1M', '2026-02-28T10:00:00Z'],
    ['2028-01-31T10:00:00Z', 'P1M', '2028-02-29T10:00:00Z'],
    ['2028-02-29T10:00:00Z', 'P1Y', '2029-02-28T10:00:00Z'],
    ['2026-12-15T10:00:00Z', 'P1M', '2027-01-15T10:00:00Z'],
    ['2026-11-30T10:00:00Z', 'P2Y3M', '2029-02-28T10:00:00Z'],
    ['2026-03-28T23:30:00Z', 'P1D', '2026-03-29T23:30:00Z'],
    ['2026-01-31T23:30:00Z', 'P1M1DT1H', '2026-03-02T00:30:00Z'],
    ['2026-01-01T00:00:00Z', 'P2W', '2026-01-15T00:00:00Z'],
    ['2026-01-01T00:00:00.500Z', 'PT90M1S', '2026-01-01T01:30:01.500Z'],
    ['2026-01-01T00:00:00Z', 'PT0S', '2026-01-01T00:00:00Z'],
  ])('%s + %s = %s', (from, duration, to) => expect(addDuration(at(from), duration)).toEqual(at(to)));

  it.each(['', 'P', 'PT', 'P1', '1Y', 'P1.5M', '-P1Y', 'P1DT', 'P1S', 'p1y', 'P1Y ', 'P9999999999Y'])(
    'refuses %j',
    (duration) => {
      expect(() => addDuration(at('2026-01-01T00:00:00Z'), duration)).toThrow(RangeError);
    },
  );

  it('of months keeps the day, or ends on the last day of the month', () => {
    fc.assert(
      fc.property(
        fc.date({ min: at('1990-01-01T00:00:00Z'), max: at('2090-01-01T00:00:00Z'), noInvalidDate: true }),
        fc.nat(600),
        (from, months) => {
          const end = addDuration(from, `P${months}M`);
          const passed = (end.getUTCFullYear() - from.getUTCFullYear()) * 12 + end.getUTCMonth() - from.getUTCMonth();
          expect(passed).toBe(months);
          const dayAfter = new Date(end.getTime() + 86_400_000).getUTCDate();
          expect(
            end.getUTCDate() === from.getUTCDate() || (end.getUTCDate() < from.getUTCDate() && dayAfter === 1),
          ).toBe(true);
          expect(end.getTime() % 86_400_000).toBe(from.getTime() % 86_400_000);
        },
      ),
    );
  });
});

it('expires after the validity, at the latest at the end that the offer fixes', () => {
  const now = at('2026-01-01T00:00:00Z');
  const may = at('2026-05-01T00:00:00Z');
  expect(expirationAfter(now)).toBeUndefined();
  expect(expirationAfter(now, undefined, may)).toEqual(may);
  expect(expirationAfter(now, 'P1M', may)).toEqual(at('2026-02-01T00:00:00Z'));
  expect(expirationAfter(now, 'P1Y', may)).toEqual(may);
});

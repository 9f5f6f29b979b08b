import { describe, expect, it } from '@jest/globals';
import { monthName, monthOf } from './months.js';

describe('a month', () => {
  it.each([
    ['2026-11-30T23:59:59.999Z', '2026-11'],
    ['2026-12-01T00:00:00.000Z', '2026-12'],
    ['2027-01-01T00:00:00.000Z', '2027-01'],
  ])('of %s is %s in UTC', (time, name) => expect(monthName(monthOf(new Date(time)))).toBe(name));

  it('is one more than the month before, also across years', () => {
    expect(monthOf(new Date('2027-01-15')) - monthOf(new Date('2026-12-15'))).toBe(1);
  });
});

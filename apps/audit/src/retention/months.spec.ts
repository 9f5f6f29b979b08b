import { describe, expect, it } from '@jest/globals';
import { appendMonth, monthName, monthOf } from './months.js';

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

describe('the month of an entry', () => {
  const month = (latest: string, now: string) => monthName(appendMonth(Date.parse(latest), monthOf(new Date(now))));

  it.each([
    ['this month, in which it happened', '2026-12-01T00:00:00.000Z', '2026-12-01T00:00:01.000Z', '2026-12'],
    [
      'this month, when it happened within an hour before',
      '2026-11-30T23:00:00.000Z',
      '2026-12-01T00:00:01Z',
      '2026-12',
    ],
    ['the month before, when it was delayed for longer', '2026-11-30T22:59:59.999Z', '2026-12-01T02:00:00Z', '2026-11'],
    [
      'this month, when the clock of its writer is ahead',
      '2026-12-01T00:10:00.000Z',
      '2026-11-30T23:59:00Z',
      '2026-11',
    ],
    ['the first that can have partitions', '1999-05-01T00:00:00.000Z', '2026-11-30T23:59:00Z', '2000-01'],
  ])('is %s', (_, latest, now, expected) => expect(month(latest, now)).toBe(expected));
});

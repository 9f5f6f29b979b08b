import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { bucketsOf, spansOf, type QueryRange } from './calendar.js';

const iso = (bounds: number[]) => bounds.map((ms) => new Date(ms).toISOString().replace(':00.000Z', 'Z'));
const buckets = (from: string, to: string, interval: QueryRange['interval'], timezone = 'UTC') =>
  iso(bucketsOf({ from, to, interval, timezone }));
const hoursBetween = (bounds: number[]) => bounds.slice(1).map((end, i) => (end - bounds[i]!) / 3_600_000);

describe('bucketsOf', () => {
  it('begins with the bucket that contains `from` and ends with the one before `to`', () => {
    expect(buckets('2026-11-21T10:30:00Z', '2026-11-21T12:00:00Z', 'hour')).toEqual([
      '2026-11-21T10:00Z',
      '2026-11-21T11:00Z',
      '2026-11-21T12:00Z',
    ]);
    expect(buckets('2026-11-21T00:00:00Z', '2026-11-21T00:00:01Z', 'day')).toEqual([
      '2026-11-21T00:00Z',
      '2026-11-22T00:00Z',
    ]);
  });

  it('begins weeks on Monday and months on the first, in the time zone', () => {
    expect(buckets('2026-11-22T12:00:00Z', '2026-11-23T12:00:00Z', 'week', 'Europe/Berlin')).toEqual([
      '2026-11-15T23:00Z',
      '2026-11-22T23:00Z',
      '2026-11-29T23:00Z',
    ]);
    expect(buckets('2026-01-31T23:30:00Z', '2026-03-01T00:00:00Z', 'month', 'Europe/Berlin')).toEqual([
      '2026-01-31T23:00Z',
      '2026-02-28T23:00Z',
      '2026-03-31T22:00Z',
    ]);
  });

  it('has 25 hours on the day on which clocks go back, and 23 when they go forward', () => {
    const autumn = { from: '2026-10-24T12:00:00Z', to: '2026-10-26T12:00:00Z', interval: 'day' } as const;
    expect(hoursBetween(bucketsOf({ ...autumn, timezone: 'Europe/Berlin' }))).toEqual([24, 25, 24]);
    const spring = { from: '2026-03-28T12:00:00Z', to: '2026-03-29T12:00:00Z', interval: 'day' } as const;
    expect(hoursBetween(bucketsOf({ ...spring, timezone: 'Europe/Berlin' }))).toEqual([24, 23]);
    // Clocks go back by half an hour, so one hour of the day has 90 minutes.
    const halfHour = { from: '2026-04-04T12:00:00Z', to: '2026-04-05T12:00:00Z', interval: 'day' } as const;
    expect(hoursBetween(bucketsOf({ ...halfHour, timezone: 'Australia/Lord_Howe' }))).toEqual([24, 24.5]);
  });

  it('begins days at midnight of zones with quarters of an hour', () => {
    expect(buckets('2026-11-21T00:00:00Z', '2026-11-21T01:00:00Z', 'day', 'Asia/Kathmandu')).toEqual([
      '2026-11-20T18:15Z',
      '2026-11-21T18:15Z',
    ]);
  });

  it('has no gap and no overlap in any time zone, and covers the range', () => {
    const zones = fc.constantFrom(...Intl.supportedValuesOf('timeZone'));
    const times = fc.integer({ min: Date.UTC(2000, 0), max: Date.UTC(2099, 0) });
    const intervals = fc.constantFrom('hour' as const, 'day' as const, 'week' as const, 'month' as const);
    fc.assert(
      fc.property(
        zones,
        times,
        fc.integer({ min: 1, max: 40 * 86_400_000 }),
        intervals,
        (timezone, at, span, interval) => {
          const [from, to] = [new Date(at).toISOString(), new Date(at + span).toISOString()];
          const bounds = bucketsOf({ from, to, interval, timezone });
          expect(bounds[0]).toBeLessThanOrEqual(at);
          expect(bounds.at(-1)).toBeGreaterThanOrEqual(at + span);
          expect(bounds.at(-2)).toBeLessThan(at + span);
          for (const length of hoursBetween(bounds)) expect(length).toBeGreaterThan(0);
          for (const bound of bounds) expect(bound % (15 * 60_000)).toBe(0);
        },
      ),
      { numRuns: 40 },
    );
  });
});

describe('spansOf', () => {
  it('takes the longest roll-ups that fit', () => {
    const at = (text: string) => Date.parse(`2026-11-${text}Z`);
    expect(spansOf(at('20T18:15:00'), at('23T01:00:00'))).toEqual([
      { minutes: 15, from: at('20T18:15:00'), to: at('20T19:00:00') },
      { minutes: 60, from: at('20T19:00:00'), to: at('21T00:00:00') },
      { minutes: 1440, from: at('21T00:00:00'), to: at('23T00:00:00') },
      { minutes: 60, from: at('23T00:00:00'), to: at('23T01:00:00') },
    ]);
  });

  it('covers any time exactly, with five spans at most', () => {
    fc.assert(
      fc.property(fc.nat(10_000), fc.nat(10_000), (first, length) => {
        const [from, to] = [first * 900_000, (first + length) * 900_000];
        const spans = spansOf(from, to);
        expect(spans.length).toBeLessThanOrEqual(5);
        let end = from;
        for (const span of spans) {
          expect([span.from, span.from % (span.minutes * 60_000)]).toEqual([end, 0]);
          end = span.to;
        }
        expect(end).toBe(to);
      }),
    );
  });
});

import { Temporal } from 'temporal-polyfill';
import type { AnalyticsInterval } from '@holdfast/contracts';

const minuteMs = 60_000;
/**
 * Lengths for which roll-ups exist, in minutes. A quarter of an hour is the finest, because the offset of every time
 * zone is a multiple of it.
 */
export const rollUpMinutes = [1440, 60, 15] as const;
export type RollUpMinutes = (typeof rollUpMinutes)[number];
/**
 * Further lengths of counts that are summed from the beginning of the log: 256 and 16 days. With them, a sum reads at
 * most 15 days, 15 times 16 days and one count for each 256 days, however old the log is.
 */
export const longRollUpMinutes = [368_640, 23_040] as const;
const finestMs = 15 * minuteMs;

/** Consecutive roll-ups of one length, from their first beginning to their last end, in ms. */
export interface Span {
  minutes: number;
  from: number;
  to: number;
}

export interface QueryRange {
  from: string;
  to: string;
  interval: AnalyticsInterval;
  timezone: string;
}

/**
 * The beginnings of all buckets that overlap the range, and the end of the last one, in ms. Days, weeks and months are
 * those of the time zone: the day on which clocks change has 23 or 25 hours.
 */
export function bucketsOf({ from, to, interval, timezone }: QueryRange): number[] {
  const start = startOf(Temporal.Instant.from(from).toZonedDateTimeISO(timezone), interval);
  const end = Date.parse(to);
  const bounds = [toQuarterHour(start.epochMilliseconds)];
  // Each from the start: adding a month to the last day of a month, one by one, would lose days.
  for (let n = 1; bounds.at(-1)! < end; n += 1)
    bounds.push(toQuarterHour(start.add({ [`${interval}s`]: n }).epochMilliseconds));
  return bounds;
}

function startOf(time: Temporal.ZonedDateTime, interval: AnalyticsInterval): Temporal.ZonedDateTime {
  if (interval === 'hour') return time.round({ smallestUnit: 'hour', roundingMode: 'floor' });
  const day = time.startOfDay();
  if (interval === 'day') return day;
  return interval === 'week'
    ? day.subtract({ days: day.dayOfWeek - 1 }).startOfDay()
    : day.with({ day: 1 }).startOfDay();
}

/** Before about 1970 some offsets had minutes and seconds. */
function toQuarterHour(ms: number): number {
  return Math.floor(ms / finestMs) * finestMs;
}

/** The fewest spans of roll-ups that cover a time exactly: days of UTC, and hours and quarters of an hour around. */
export function spansOf(from: number, to: number, lengths: readonly number[] = rollUpMinutes): Span[] {
  const [minutes, ...shorter] = lengths;
  if (minutes === undefined || from >= to) return [];
  const lengthMs = minutes * minuteMs;
  const first = Math.ceil(from / lengthMs) * lengthMs;
  const last = Math.floor(to / lengthMs) * lengthMs;
  if (first >= last) return spansOf(from, to, shorter);
  return [...spansOf(from, first, shorter), { minutes, from: first, to: last }, ...spansOf(last, to, shorter)];
}

/** The beginning of the finest roll-up that contains a time. */
export function rollUpStart(time: string): number {
  return toQuarterHour(Date.parse(time));
}

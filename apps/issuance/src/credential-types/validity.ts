import { Temporal } from 'temporal-polyfill';

const dayMs = 86_400_000;

/** An ISO 8601 duration of whole numbers, in capitals and without a sign; Temporal accepts more. @throws RangeError */
function parse(duration: string): Temporal.Duration {
  if (!/^P[0-9A-Z]+$/.test(duration)) throw new RangeError(`"${duration}" is not an ISO 8601 duration`);
  return Temporal.Duration.from(duration);
}

/**
 * `from` plus an ISO 8601 duration, by the calendar in UTC: a month after the 31st of January is the last of February.
 * @throws RangeError
 */
export function addDuration(from: Date, duration: string): Date {
  const start = Temporal.Instant.fromEpochMilliseconds(from.getTime()).toZonedDateTimeISO('UTC');
  return new Date(start.add(parse(duration)).epochMilliseconds);
}

/**
 * The shortest and the longest that a duration can be in ms, depending on its months and years. One that Temporal
 * cannot hold (more than 2³² years, 2⁵³ seconds) is longer than every limit.
 */
export function durationBounds(duration: string): { minMs: number; maxMs: number } {
  if (!isRepresentable(duration)) return { minMs: Infinity, maxMs: Infinity };
  const { years, months, weeks, days, hours, minutes, seconds } = parse(duration);
  const fixed = (weeks * 7 + days) * dayMs + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  // Whole years of months are years: P12M is P1Y, not twelve times the shortest month.
  const wholeYears = years + Math.floor(months / 12);
  const rest = months % 12;
  return {
    minMs: fixed + (wholeYears * 365 + minDays(rest)) * dayMs,
    maxMs: fixed + (wholeYears * 366 + Math.min(rest * 31, 366)) * dayMs,
  };
}

function isRepresentable(duration: string): boolean {
  try {
    parse(duration);
    return true;
  } catch {
    return false;
  }
}

/** The fewest days that so many months in a row can have. */
function minDays(months: number): number {
  return [0, 28, 59, 89, 120, 150, 181, 212, 242, 273, 303, 334][months]!;
}

/**
 * When a credential issued at `now` expires: after its type's validity, at the latest at `validUntil`; undefined
 * without either.
 */
export function expirationAfter(now: Date, validity?: string, validUntil?: Date): Date | undefined {
  const end = validity === undefined ? undefined : addDuration(now, validity);
  return end && validUntil ? new Date(Math.min(end.getTime(), validUntil.getTime())) : (end ?? validUntil);
}

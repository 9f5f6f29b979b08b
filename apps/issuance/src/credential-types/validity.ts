/** An ISO 8601 duration: whole numbers; weeks beside other units as in ISO 8601-2, which is what Temporal reads too. */
const form = /^P(?=.)(?:(\d+)Y)?(?:(\d+)M)?(?:(\d+)W)?(?:(\d+)D)?(?:T(?=.)(?:(\d+)H)?(?:(\d+)M)?(?:(\d+)S)?)?$/;
const day = 86_400_000;

/**
 * `from` plus an ISO 8601 duration, by the calendar in UTC: a month after the 31st of January is the last of February
 * (Temporal's `overflow: 'constrain'`). Years and months first, then the rest, as Temporal adds. @throws RangeError
 */
export function addDuration(from: Date, duration: string): Date {
  const match = form.exec(duration);
  if (!match) throw new RangeError(`"${duration}" is not an ISO 8601 duration`);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((n) => Number(n ?? 0));
  const monthsAway = from.getUTCFullYear() * 12 + from.getUTCMonth() + years * 12 + months;
  const lastDay = new Date(Date.UTC(0, 0, 1));
  lastDay.setUTCFullYear(Math.floor(monthsAway / 12), (monthsAway % 12) + 1, 0);
  const date = new Date(from);
  date.setUTCFullYear(
    lastDay.getUTCFullYear(),
    lastDay.getUTCMonth(),
    Math.min(from.getUTCDate(), lastDay.getUTCDate()),
  );
  const end = new Date(date.getTime() + (weeks * 7 + days) * day + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  if (Number.isNaN(end.getTime())) throw new RangeError(`"${duration}" leads out of all time`);
  return end;
}

/** How many ms a duration is at least and at most, whichever months and years it falls into. @throws RangeError */
export function durationBounds(duration: string): { shortest: number; longest: number } {
  const match = form.exec(duration);
  if (!match) throw new RangeError(`"${duration}" is not an ISO 8601 duration`);
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match
    .slice(1)
    .map((n) => Number(n ?? 0));
  const fixed = (weeks * 7 + days) * day + ((hours * 60 + minutes) * 60 + seconds) * 1000;
  // Whole years of months are years: P12M is P1Y, not twelve times the shortest month.
  const wholeYears = years + Math.floor(months / 12);
  const rest = months % 12;
  return {
    shortest: fixed + (wholeYears * 365 + shortestMonths(rest)) * day,
    longest: fixed + (wholeYears * 366 + Math.min(rest * 31, 366)) * day,
  };
}

/** Fewest days that so many months in a row can have: with a February of 28, and every other one of 30. */
function shortestMonths(months: number): number {
  return [0, 28, 59, 89, 120, 150, 181, 212, 242, 273, 303, 334][months]!;
}

/**
 * When a credential issued at `now` ends: by its type's validity, at the latest by `validUntil`; undefined without
 * either.
 */
export function endOf(now: Date, validity?: string, validUntil?: Date): Date | undefined {
  const end = validity === undefined ? undefined : addDuration(now, validity);
  return end && validUntil ? new Date(Math.min(end.getTime(), validUntil.getTime())) : (end ?? validUntil);
}

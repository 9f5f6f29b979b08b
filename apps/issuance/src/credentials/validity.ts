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
  const [years = 0, months = 0, weeks = 0, days = 0, hours = 0, minutes = 0, seconds = 0] = match.slice(1).map((n) => Number(n ?? 0));
  const monthsAway = from.getUTCFullYear() * 12 + from.getUTCMonth() + years * 12 + months;
  const lastDay = new Date(Date.UTC(0, 0, 1));
  lastDay.setUTCFullYear(Math.floor(monthsAway / 12), (monthsAway % 12) + 1, 0);
  const date = new Date(from);
  date.setUTCFullYear(lastDay.getUTCFullYear(), lastDay.getUTCMonth(), Math.min(from.getUTCDate(), lastDay.getUTCDate()));
  const end = new Date(date.getTime() + (weeks * 7 + days) * day + ((hours * 60 + minutes) * 60 + seconds) * 1000);
  if (Number.isNaN(end.getTime())) throw new RangeError(`"${duration}" leads out of all time`);
  return end;
}

/** When a credential issued at `now` ends: by its type's validity, at the latest by `validUntil`; undefined without either. */
export function endOf(now: Date, validity?: string, validUntil?: Date): Date | undefined {
  const end = validity === undefined ? undefined : addDuration(now, validity);
  return end && validUntil ? new Date(Math.min(end.getTime(), validUntil.getTime())) : (end ?? validUntil);
}

const secondMs = 1000;
const minuteMs = 60_000;
const hourMs = 3_600_000;

/** Time before each attempt of a message, from the one before (Standard Webhooks 1.0): about 75 hours in all. */
const delaysMs = [
  0,
  5 * secondMs,
  5 * minuteMs,
  30 * minuteMs,
  2 * hourMs,
  5 * hourMs,
  10 * hourMs,
  14 * hourMs,
  20 * hourMs,
  24 * hourMs,
];
export const maxTries = delaysMs.length;

/** Statuses by which a receiver says that it would accept the message later. */
const throttling = [429, 502, 503, 504];
/** A receiver may ask for a later attempt, but not for ever. */
const maxRetryAfterMs = 24 * hourMs;

/**
 * Time until the next attempt, with 20 % jitter; undefined when there is none.
 *
 * @param tries attempts so far, the failed one included
 * @param random between 0 and 1
 */
export function nextDelayMs(
  tries: number,
  random: number,
  { status, retryAfterMs = 0 }: { status?: number; retryAfterMs?: number | undefined } = {},
): number | undefined {
  const delayMs = delaysMs[tries];
  if (delayMs === undefined) return undefined;
  const jittered = Math.round(delayMs * (0.8 + 0.4 * random));
  const isThrottling = status !== undefined && throttling.includes(status);
  return isThrottling ? Math.max(jittered, Math.min(retryAfterMs, maxRetryAfterMs)) : jittered;
}

/** After so many failed attempts in a row, an endpoint gets one at a time as a probe. */
const probedAfter = 10;
const maxProbeMs = minuteMs;

/** How long nothing is sent to an endpoint after its failed attempts in a row; 0 for the first ones. */
export function endpointPauseMs(failures: number): number {
  return failures < probedAfter ? 0 : Math.min(maxProbeMs, secondMs * 2 ** Math.min(failures - probedAfter, 10));
}

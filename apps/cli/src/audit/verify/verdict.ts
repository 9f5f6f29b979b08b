import type { Verdict } from './log-verifier.js';

/** What was found, for people: the first line is the verdict. */
export function describeVerdict({
  verified,
  onlyUnprovable,
  findings,
  more,
  origin,
  entries,
  dropped,
  unprovable,
  notes,
  continues,
}: Verdict): string {
  if (!verified)
    return [
      onlyUnprovable
        ? `${origin} cannot be proven in full; nothing else is wrong with it.`
        : `${origin} does not verify.`,
      ...findings,
      ...(more > 0 ? [`… and ${more} more.`] : []),
    ].join('\n');
  return [
    `Verified: ${entries} entries of ${origin}, to the last one that is signed.`,
    ...(dropped > 0
      ? [`Of ${dropped} of them only the hash is left; the log itself records that they were dropped.`]
      : []),
    ...(continues.length > 0 ? [`It continues ${continues.join(', ')}.`] : []),
    ...(unprovable > 0
      ? [`${unprovable} times a name or a personal value could not be checked, and --allow-unprovable was given.`]
      : []),
    ...notes,
  ].join('\n');
}

import type { Verdict } from '@holdfast/log-verifier';

/** The result as text. Its first line is the verdict. */
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
      ...(onlyUnprovable ? ['--allow-unprovable accepts it.'] : []),
    ].join('\n');
  return [
    `Verified: ${entries} entries of ${origin}, up to the newest checkpoint.`,
    ...(dropped > 0 ? [`${dropped} of them were dropped, as the log itself records. Only their hashes are left.`] : []),
    ...(continues.length > 0 ? [`It is consistent with the kept checkpoints ${continues.join(', ')}.`] : []),
    ...(unprovable > 0
      ? [`${unprovable} pseudonym mappings or personal values could not be checked (--allow-unprovable).`]
      : []),
    ...notes,
  ].join('\n');
}

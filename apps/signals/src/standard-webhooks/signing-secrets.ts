import { randomBytes } from 'node:crypto';

/** The secrets that sign what is sent to one receiver (Standard Webhooks). */
export interface SigningSecrets {
  secret: string;
  /** Signs as well until `until`, so that receivers can change. */
  previous?: { secret: string; until: string };
}

/** How long the earlier secret or key still signs after a rotation. */
export const overlapMs = 86_400_000;

/** 24 to 64 bytes, in base64 after `whsec_` (Standard Webhooks). */
export const newSigningSecret = (): string => `whsec_${randomBytes(32).toString('base64')}`;

/** The new secrets after a rotation. */
export function rotatedSecrets({ secret: earlier }: SigningSecrets, now: Date) {
  const until = new Date(now.getTime() + overlapMs).toISOString();
  return { secret: newSigningSecret(), previous: { secret: earlier, until } } satisfies SigningSecrets;
}

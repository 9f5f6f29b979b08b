import { z } from 'zod';

/** Maximum rows of one organization, by kind. */
const defaults = {
  /** Sign-ins with a verified passkey, for half an hour. */
  Interaction: 200_000,
  Session: 2_000_000,
  Grant: 20_000_000,
  AuthorizationCode: 200_000,
  AccessToken: 2_000_000,
  /** Consumed ones stay until their family expires, since a second use is detected by them. */
  RefreshToken: 20_000_000,
  /** Sessions of people at the hub; one person has twenty at most. */
  HubSession: 200_000,
  /** Client assertions, and DPoP proofs of requests to auth, that were used, for five minutes. */
  ReplayDetection: 2_000_000,
  /** DPoP proofs of requests to the API that were used, for three minutes. */
  UsedProof: 2_000_000,
} as const;

export type StateKind = keyof typeof defaults;

const kinds = Object.keys(defaults) as StateKind[];
const limit = z.coerce.number().int().min(1).max(1_000_000_000);

/** `Session=500000,Grant=5000000`: rows of one organization; kinds that are not named keep their defaults. */
export const stateLimitsSchema = z
  .string()
  .default('')
  .transform((text, context) => {
    const given = Object.fromEntries(
      text
        .split(',')
        .filter((part) => part.trim() !== '')
        .map((part) => part.split('=').map((side) => side.trim())) as [string, string][],
    );
    for (const [kind, value] of Object.entries(given)) {
      if (!(kind in defaults))
        context.addIssue({
          code: 'custom',
          message: `has an unknown kind ${JSON.stringify(kind)}; the kinds are ${kinds.join(', ')}`,
        });
      else if (!limit.safeParse(value).success)
        context.addIssue({ code: 'custom', message: `${kind} must be a whole number of rows, at least 1` });
    }
    return Object.fromEntries(kinds.map((kind) => [kind, Number(given[kind] ?? defaults[kind])])) as Record<
      StateKind,
      number
    >;
  });

import { z } from 'zod';
import { namedLimits } from '@holdfast/platform';

/** Maximum rows of one organization, by kind. */
const defaults = {
  /** Sign-ins with a verified passkey, for half an hour. */
  Interaction: 200_000,
  Session: 2_000_000,
  /** Authorization requests that clients have pushed, for one minute. */
  PushedAuthorizationRequest: 200_000,
  /** Those of public clients, which anybody can send, so that they take no room from the others. */
  PublicAuthorizationRequest: 20_000,
  /** Sign-ins on devices, which anybody can begin, for twenty minutes. */
  DeviceCode: 20_000,
  Grant: 20_000_000,
  AuthorizationCode: 200_000,
  AccessToken: 2_000_000,
  /** Consumed ones stay until their family expires, since a second use is detected by them. */
  RefreshToken: 20_000_000,
  /** Sessions of people at the hub; one person has twenty at most. */
  HubSession: 200_000,
  /** Account pages of customers that are signed in, for ten minutes; one customer has five at most. */
  AccountSession: 200_000,
  /** Client assertions, and DPoP proofs of requests to auth, that were used, for five minutes. */
  ReplayDetection: 2_000_000,
  /** DPoP proofs of requests to the API that were used, for three minutes. */
  UsedProof: 2_000_000,
} as const;

export type StateKind = keyof typeof defaults;

const kinds = Object.keys(defaults) as StateKind[];

/** `Session=500000,Grant=5000000`: rows of one organization; kinds that are not named keep their defaults. */
export const stateLimitsSchema = z
  .string()
  .default('')
  .pipe(namedLimits(kinds, 'rows'))
  .transform((given): Record<StateKind, number> => ({ ...defaults, ...given }));

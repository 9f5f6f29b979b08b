import { z } from 'zod';
import { relyingParty } from '@holdfast/passkeys';
import {
  baseConfigSchema,
  databaseConfigSchema,
  keyFromEnv,
  keysOf,
  outboundConfigSchema,
  type Keys,
} from '@holdfast/platform';

const seconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const environment = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...outboundConfigSchema.shape,
  APPS_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('How many apps an organization may have'),
  KEY_ENCRYPTION_KEY: keyFromEnv.describe(
    'Secret: encrypts the key of each person, under which e-mail address and name are stored, and stored responses ' +
      '(Idempotency-Key)',
  ),
  KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another KEY_ENCRYPTION_KEY that decrypts stored data, before, during and after a rotation'),
  SECRET_PEPPER: keyFromEnv.describe(
    'Secret: client secrets are hashed under it; the same for every service that checks one. Keys that are derived ' +
      'from it hash invitation links, and the e-mail addresses and names by which people are found',
  ),
  SECRET_PEPPER_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another SECRET_PEPPER whose hashes are accepted, before, during and after a rotation'),
  // Production uses ten minutes to thirty days; a test may use seconds.
  INVITATION_MIN_SECONDS: seconds(600).describe('Shortest lifetime of an invitation link that may be requested'),
  INVITATION_MAX_SECONDS: seconds(2_592_000).describe('Longest lifetime of an invitation link that may be requested'),
  INVITATION_DEFAULT_SECONDS: seconds(259_200).describe('Lifetime of an invitation link when none is requested'),
  RP_ID: z
    .string()
    .optional()
    .describe('WebAuthn RP ID of all organizations that have none of their own; the same as that of issuance'),
});

export const configSchema = environment.transform((config) => ({
  ...config,
  relyingParty: relyingParty(config.BASE_URL, config.RP_ID),
}));
export type Config = z.output<typeof configSchema>;

export type PepperConfig = Pick<Config, 'SECRET_PEPPER' | 'SECRET_PEPPER_PREVIOUS'>;

/** What hashes client secrets, links, and that by which people are found. */
export function peppersOf({ SECRET_PEPPER, SECRET_PEPPER_PREVIOUS }: PepperConfig): Keys {
  return keysOf(SECRET_PEPPER, SECRET_PEPPER_PREVIOUS);
}

import { z } from 'zod';
import type { DatabaseOptions } from '@holdfast/data';
import { relyingParty } from '@holdfast/passkeys';
import {
  baseConfigSchema,
  databaseConfigSchema,
  databaseTlsFiles,
  keyedHash,
  keyFromEnv,
  keysOf,
  outboundConfigSchema,
} from '@holdfast/platform';

const seconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const environment = baseConfigSchema
  .extend(databaseConfigSchema.shape)
  .extend(outboundConfigSchema.shape)
  .extend({
    KEY_ENCRYPTION_KEY: keyFromEnv.describe(
      'Secret: seals stored responses (Idempotency-Key) and Turnstile secrets in the database',
    ),
    KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
      .optional()
      .describe('Secret: another KEY_ENCRYPTION_KEY that decrypts stored data, before, during and after a rotation'),
    SECRET_PEPPER: keyFromEnv.describe('Secret: claim tokens are hashed under it'),
    SECRET_PEPPER_PREVIOUS: keyFromEnv
      .optional()
      .describe('Secret: another SECRET_PEPPER whose hashes are accepted, before, during and after a rotation'),
    // Production uses ten minutes to thirty days; a test may use seconds.
    OFFER_MIN_SECONDS: seconds(600).describe('Shortest lifetime of an offer that an app may request'),
    OFFER_MAX_SECONDS: seconds(2_592_000).describe('Longest lifetime of an offer that an app may request'),
    OFFER_DEFAULT_SECONDS: seconds(259_200).describe('Lifetime of an offer when the app requests none'),
    PRESENCE_KEY: keyFromEnv.describe(
      'Secret: proofs of presence are signed under keys that are derived from it, two for each organization',
    ),
    PRESENCE_KEY_PREVIOUS: keyFromEnv
      .optional()
      .describe('Secret: another PRESENCE_KEY whose challenges are accepted, before, during and after a rotation'),
    PRESENCE_SECONDS: seconds(600).describe(
      'How long a challenge of the built-in proof of work can be solved and sent',
    ),
    PRESENCE_COST: seconds(5000).describe('Rounds of PBKDF2 for each step of the built-in proof of work'),
    PRESENCE_STEPS: seconds(300).describe(
      'Steps of the built-in proof of work, on average: with 5000 rounds each, about a second on a phone',
    ),
    TURNSTILE_URL: z
      .url()
      .default('https://challenges.cloudflare.com/turnstile/v0/siteverify')
      .describe('Where tokens of Cloudflare Turnstile are verified'),
    WATERMARK_DATABASE_URL: z
      .string()
      .min(1)
      .optional()
      .describe(
        "Secret: PostgreSQL of subjects, as this service's role there, which may only raise watermarks; the database " +
          'of `DATABASE_URL` when unset. The files of `DATABASE_URL` are for both',
      ),
    RP_ID: z
      .string()
      .optional()
      .describe(
        'WebAuthn RP ID of all organizations that have none of their own: the host of BASE_URL, or a parent domain ' +
          'of it. Permanent: with another one, no earlier passkey signs in',
      ),
  });

/** Connections of one process for watermarks, which are rare: some a second while the read model is stale. */
const watermarkPool = 4;

/** The database of subjects, for watermarks; undefined when issuance uses the same. */
export function watermarkDatabase(config: IssuanceConfig): DatabaseOptions | undefined {
  if (config.WATERMARK_DATABASE_URL === undefined) return undefined;
  return {
    url: config.WATERMARK_DATABASE_URL,
    passwordFile: config.DATABASE_PASSWORD_FILE,
    ...databaseTlsFiles(config),
    pool: watermarkPool,
    applicationName: 'holdfast issuance',
  };
}

export const configSchema = environment.transform((config) => ({
  ...config,
  relyingParty: relyingParty(config.BASE_URL, config.RP_ID),
}));
export type IssuanceConfig = z.output<typeof configSchema>;

/** The hashes that a claim link may be stored under: a link cannot be hashed again, and ends by itself. */
export function claimHashesOf(
  { SECRET_PEPPER, SECRET_PEPPER_PREVIOUS }: Pick<IssuanceConfig, 'SECRET_PEPPER' | 'SECRET_PEPPER_PREVIOUS'>,
  token: string,
): Buffer[] {
  return keysOf(SECRET_PEPPER, SECRET_PEPPER_PREVIOUS).map((pepper) => keyedHash(pepper, token));
}

import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { relyingParty } from '@holdfast/passkeys';
import { z } from 'zod';

const seconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const environment = baseConfigSchema.extend(databaseConfigSchema.shape).extend({
  /** Seals stored answers (Idempotency-Key). */
  KEY_ENCRYPTION_KEY: keyFromEnv,
  /** Under which claim tokens are hashed. */
  SECRET_PEPPER: keyFromEnv,
  /** Bounds of an offer's life; production keeps ten minutes to thirty days, a test may use seconds. */
  OFFER_MIN_SECONDS: seconds(600),
  OFFER_MAX_SECONDS: seconds(2_592_000),
  OFFER_DEFAULT_SECONDS: seconds(259_200),
  /** The host of BASE_URL, or a domain that it lies in. Permanent: passkeys made for one are worth nothing under another. */
  RP_ID: z.string().optional(),
});

export const configSchema = environment.transform((config) => ({ ...config, relyingParty: relyingParty(config.BASE_URL, config.RP_ID) }));
export type IssuanceConfig = z.output<typeof configSchema>;

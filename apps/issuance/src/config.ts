import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { z } from 'zod';

const seconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape).extend({
  /** Seals stored answers (Idempotency-Key). */
  KEY_ENCRYPTION_KEY: keyFromEnv,
  /** Under which claim tokens are hashed. */
  SECRET_PEPPER: keyFromEnv,
  /** Bounds of an offer's life; production keeps ten minutes to thirty days, a test may use seconds. */
  OFFER_MIN_SECONDS: seconds(600),
  OFFER_MAX_SECONDS: seconds(2_592_000),
  OFFER_DEFAULT_SECONDS: seconds(259_200),
});
export type IssuanceConfig = z.output<typeof configSchema>;

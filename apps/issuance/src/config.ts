import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { relyingParty } from '@holdfast/passkeys';
import { z } from 'zod';

const seconds = (fallback: number) => z.coerce.number().int().positive().default(fallback);

const environment = baseConfigSchema.extend(databaseConfigSchema.shape).extend({
  KEY_ENCRYPTION_KEY: keyFromEnv.describe('Secret: seals stored answers (Idempotency-Key) in the database'),
  SECRET_PEPPER: keyFromEnv.describe('Secret: claim tokens are hashed under it'),
  // Production keeps ten minutes to thirty days; a test may use seconds.
  OFFER_MIN_SECONDS: seconds(600).describe('Shortest life of an offer that an app may ask for'),
  OFFER_MAX_SECONDS: seconds(2_592_000).describe('Longest life of an offer that an app may ask for'),
  OFFER_DEFAULT_SECONDS: seconds(259_200).describe('Life of an offer when the app asks for none'),
  RP_ID: z.string().optional().describe('WebAuthn relying party: the host of BASE_URL, or a domain that it lies in. Permanent: passkeys made for one are worth nothing under another'),
});

export const configSchema = environment.transform((config) => ({ ...config, relyingParty: relyingParty(config.BASE_URL, config.RP_ID) }));
export type IssuanceConfig = z.output<typeof configSchema>;

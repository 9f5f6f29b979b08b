import { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema, keyFromEnv, outboundConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...outboundConfigSchema.shape,
  APPS_PER_ORGANIZATION: z.coerce
    .number()
    .int()
    .min(1)
    .max(100_000)
    .default(1000)
    .describe('How many apps an organization may have'),
  KEY_ENCRYPTION_KEY: keyFromEnv.describe('Secret: seals stored responses (Idempotency-Key) in the database'),
  SECRET_PEPPER: keyFromEnv.describe(
    'Secret: client secrets are hashed under it; the same for every service that checks one',
  ),
});
export type Config = z.output<typeof configSchema>;

import type { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema, keyFromEnv, outboundConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...outboundConfigSchema.shape,
  KEY_ENCRYPTION_KEY: keyFromEnv.describe('Secret: seals stored responses (Idempotency-Key) in the database'),
  SECRET_PEPPER: keyFromEnv.describe(
    'Secret: client secrets are hashed under it; the same for every service that checks one',
  ),
});
export type Config = z.output<typeof configSchema>;

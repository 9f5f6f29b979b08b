import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { z } from 'zod';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int(),
  HTTP_HOST: z.string().default('127.0.0.1'),
  /** Under which client secrets are hashed; the same as directory's. */
  SECRET_PEPPER: keyFromEnv,
  /** Seals private signing keys in the database. */
  KEY_ENCRYPTION_KEY: keyFromEnv,
});
export type Config = z.output<typeof configSchema>;

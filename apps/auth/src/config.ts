import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import { z } from 'zod';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  HTTP_PORT: z.coerce.number().int().describe('Port of the token endpoint, for the gateway alone'),
  HTTP_HOST: z.string().default('127.0.0.1').describe('Address that port listens on'),
  SECRET_PEPPER: keyFromEnv.describe("Secret: client secrets are hashed under it; the same as directory's"),
  KEY_ENCRYPTION_KEY: keyFromEnv.describe('Secret: seals private signing keys in the database'),
});
export type Config = z.output<typeof configSchema>;

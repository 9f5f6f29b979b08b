import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/kit';
import type { z } from 'zod';

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  /** Under which client secrets are hashed; the same for every service that checks one. */
  SECRET_PEPPER: keyFromEnv,
});
export type Config = z.output<typeof configSchema>;

import { baseConfigSchema, databaseConfigSchema } from '@holdfast/kit';
import type { z } from 'zod';

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape);
export type SignalsConfig = z.output<typeof configSchema>;

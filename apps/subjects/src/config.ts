import type { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape);
export type SubjectsConfig = z.output<typeof configSchema>;

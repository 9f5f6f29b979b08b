import type { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema, readReplicaConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape).extend(readReplicaConfigSchema.shape);
export type SubjectsConfig = z.output<typeof configSchema>;

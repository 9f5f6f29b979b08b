import { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema.extend(databaseConfigSchema.shape).extend({
  EVENT_RETENTION_DAYS: z.coerce
    .number()
    .int()
    .min(30)
    .default(35)
    .describe('Days for which the event feed keeps an event, 30 at least'),
});
export type SignalsConfig = z.output<typeof configSchema>;

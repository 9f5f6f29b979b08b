import { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema, keyFromEnv, outboundConfigSchema } from '@holdfast/platform';

export const configSchema = baseConfigSchema
  .extend(databaseConfigSchema.shape)
  .extend(outboundConfigSchema.shape)
  .extend({
    EVENT_RETENTION_DAYS: z.coerce
      .number()
      .int()
      .min(30)
      .default(35)
      .describe('Days for which the event feed keeps an event, 30 at least'),
    KEY_ENCRYPTION_KEY: keyFromEnv.describe(
      'Secret: seals credentials of audit destinations, and stored responses (Idempotency-Key)',
    ),
    KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
      .optional()
      .describe('Secret: another KEY_ENCRYPTION_KEY that decrypts stored data, before, during and after a rotation'),
    AUDIT_DESTINATIONS_ALLOW: outboundConfigSchema.shape.OUTBOUND_ALLOW.describe(
      "Exact origins, comma separated, that only the operator's audit destinations of all organizations may call " +
        'although they are not https on a public address, such as a SIEM in the cluster; `https://<host>:<port>` for ' +
        'syslog',
    ),
  });
export type SignalsConfig = z.output<typeof configSchema>;

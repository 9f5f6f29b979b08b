import { z } from 'zod';
import { baseConfigSchema, databaseConfigSchema, keyFromEnv } from '@holdfast/platform';

/** The first signs now; those behind it sign as well, so that whoever has pinned an old key can still verify. */
const signingKeys = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(keyFromEnv).min(1));

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  KEY_ENCRYPTION_KEY: keyFromEnv.describe(
    "Secret: seals the keys under which a person's address and user agent are stored",
  ),
  KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another KEY_ENCRYPTION_KEY that opens what is stored, before, during and after a rotation'),
  AUDIT_SIGNING_KEYS: signingKeys.describe(
    'Secret: seeds of the keys that sign checkpoints, comma separated, the current one first. All of them sign, so that a rotation may overlap',
  ),
  CHECKPOINT_DIR: z
    .string()
    .min(1)
    .describe('Folder for checkpoints, which must survive the database: what is signed next has to continue them'),
});
export type AuditConfig = z.output<typeof configSchema>;

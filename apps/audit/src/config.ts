import { z } from 'zod';
import {
  baseConfigSchema,
  databaseConfigSchema,
  keyFromEnv,
  outboundConfigSchema,
  readReplicaConfigSchema,
} from '@holdfast/platform';
import { witnessesFromEnv } from './witnesses/witness.js';

/** The current key comes first. The others sign as well, so that verifiers that pinned an old key still work. */
const signingKeys = z
  .string()
  .transform((text) => text.split(','))
  .pipe(z.array(keyFromEnv).min(1));

export const configSchema = baseConfigSchema.extend({
  ...databaseConfigSchema.shape,
  ...readReplicaConfigSchema.shape,
  ...outboundConfigSchema.shape,
  KEY_ENCRYPTION_KEY: keyFromEnv.describe(
    'Secret: encrypts the keys under which addresses and user agents of customers are stored',
  ),
  KEY_ENCRYPTION_KEY_PREVIOUS: keyFromEnv
    .optional()
    .describe('Secret: another KEY_ENCRYPTION_KEY that decrypts stored data, before, during and after a rotation'),
  AUDIT_SIGNING_KEYS: signingKeys.describe(
    'Secret: seeds of the keys that sign checkpoints, comma separated, the current one first. All of them sign, so ' +
      'that verifiers that pinned an earlier key still work',
  ),
  AUDIT_EXPORT_DAYS: z.coerce
    .number()
    .int()
    .min(1)
    .max(90)
    .default(7)
    .describe('Days after which the file of an export is deleted'),
  AUDIT_EXPORTS_MAX_BYTES: z.coerce
    .number()
    .int()
    .min(1_000_000)
    .default(4_294_967_296)
    .describe('Bytes that the files of all exports of an organization may have in the database, compressed'),
  CHECKPOINT_DIR: z
    .string()
    .min(1)
    .describe('Folder for checkpoints. It must survive the loss of the database: new checkpoints continue these'),
  AUDIT_WITNESSES: witnessesFromEnv.describe(
    'Witnesses that cosign checkpoints, comma separated, each with its verifier key and its address: ' +
      '`name+hash+key https://witness.example`. See docs/audit-proofs.md',
  ),
});
export type AuditConfig = z.output<typeof configSchema>;

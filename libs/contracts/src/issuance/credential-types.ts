import { z } from 'zod';
import { command, query } from '../contract.js';
import { credentialTypeName } from '../fields.js';

/** ISO 8601 duration with integers, such as P1Y, P30D or PT24H. */
const duration = z
  .string()
  .max(40)
  .regex(
    /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/,
    'must be an ISO 8601 duration such as P1Y, P30D or PT24H',
  );

const maxPasskeys = z.int().min(1).max(10);

/** A type of credential that an organization issues (product §5). */
const credentialTypeSchema = z
  .strictObject({
    name: credentialTypeName.describe('For programs; permanent'),
    display: z.string().trim().min(1).max(100).describe('For people'),
    validity: duration.optional().describe('From issuance to expiration; without one it does not expire'),
    renewalWindow: duration
      .optional()
      .describe('Time before the expiration in which a sign-in renews it; without one it is not renewable'),
    revocable: z.boolean().describe('Whether its credentials can be suspended and revoked'),
    holders: z
      .array(z.enum(['passkey', 'wallet']))
      .min(1)
      .describe('What may hold it'),
    // An issuance of an earlier version does not send it.
    maxPasskeys: maxPasskeys
      .default(10)
      .describe('How many passkeys may hold one credential; with 1 customers cannot add any'),
    isDefault: z.boolean().describe('Whether offers and apps that name no type use it'),
  })
  .meta({ id: 'CredentialType' });
export type CredentialType = z.infer<typeof credentialTypeSchema>;

export const listCredentialTypes = query({
  service: 'issuance',
  name: 'list-credential-types',
  callers: ['gateway', 'operator'],
  request: z.strictObject({}),
  reply: z.strictObject({ items: z.array(credentialTypeSchema).describe('The oldest first') }),
  errors: ['unknown_organization'],
});
export const createCredentialType = command({
  service: 'issuance',
  name: 'create-credential-type',
  callers: ['gateway', 'operator'],
  request: credentialTypeSchema.partial({ revocable: true, holders: true, isDefault: true }),
  reply: credentialTypeSchema,
  errors: ['unknown_organization', 'conflict', 'invalid_request'],
});
/**
 * Changes only the given members. Issued credentials keep their expiration and whether they are revocable; the next
 * claim or renewal uses the new values.
 */
export const updateCredentialType = command({
  service: 'issuance',
  name: 'update-credential-type',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    name: credentialTypeName,
    display: credentialTypeSchema.shape.display.optional(),
    validity: duration.nullable().optional().describe('Null: without expiration'),
    renewalWindow: duration.nullable().optional().describe('Null: not renewable'),
    revocable: z.boolean().optional().describe('Whether its credentials can be suspended and revoked'),
    holders: credentialTypeSchema.shape.holders.optional(),
    maxPasskeys: maxPasskeys.optional().describe('How many passkeys may hold one credential'),
    isDefault: z.literal(true).optional().describe('Replaces the current default type'),
  }),
  reply: credentialTypeSchema,
  errors: ['unknown_organization', 'unknown_credential_type', 'invalid_request'],
});

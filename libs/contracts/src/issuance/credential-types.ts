import { z } from 'zod';
import { command, query } from '../contract.js';
import { credentialTypeName } from '../fields.js';

/** ISO 8601: whole numbers, such as P1Y, P30D or PT24H. */
const duration = z
  .string()
  .max(40)
  .regex(
    /^P(?=.)(?:\d+Y)?(?:\d+M)?(?:\d+W)?(?:\d+D)?(?:T(?=.)(?:\d+H)?(?:\d+M)?(?:\d+S)?)?$/,
    'must be an ISO 8601 duration such as P1Y, P30D or PT24H',
  );

/** What an organization issues (product §5). */
export const credentialTypeSchema = z
  .strictObject({
    name: credentialTypeName.describe('For programs; permanent'),
    display: z.string().trim().min(1).max(100).describe('For people'),
    validity: duration.optional().describe('From issue to end; without one it has no end'),
    renewalWindow: duration
      .optional()
      .describe('Before the end, in which a sign-in renews it; without one it is not renewable'),
    revocable: z.boolean().describe('Whether what is held can be suspended and revoked'),
    holders: z
      .array(z.enum(['passkey', 'wallet']))
      .min(1)
      .describe('What may hold it'),
    isDefault: z.boolean().describe('What an offer and an app mean that name no type'),
  })
  .meta({ id: 'CredentialType' });
export type CredentialType = z.infer<typeof credentialTypeSchema>;

export const listCredentialTypes = query({
  service: 'issuance',
  name: 'list-credential-types',
  callers: ['operator'],
  request: z.strictObject({}),
  reply: z.strictObject({ items: z.array(credentialTypeSchema) }),
  errors: ['unknown_organization'],
});
export const createCredentialType = command({
  service: 'issuance',
  name: 'create-credential-type',
  callers: ['operator'],
  request: credentialTypeSchema.partial({ revocable: true, holders: true, isDefault: true }),
  reply: credentialTypeSchema,
  errors: ['unknown_organization', 'conflict', 'invalid_request'],
});
/**
 * Changes what is given and leaves the rest. What was issued keeps its end and whether it is revocable; the next claim
 * or renewal takes the new.
 */
export const updateCredentialType = command({
  service: 'issuance',
  name: 'update-credential-type',
  callers: ['operator'],
  request: z.strictObject({
    name: credentialTypeName,
    display: credentialTypeSchema.shape.display.optional(),
    validity: duration.nullable().optional().describe('Null: without an end'),
    renewalWindow: duration.nullable().optional().describe('Null: not renewable'),
    revocable: z.boolean().optional(),
    holders: credentialTypeSchema.shape.holders.optional(),
    isDefault: z.literal(true).optional().describe('Replaces the present default type'),
  }),
  reply: credentialTypeSchema,
  errors: ['unknown_organization', 'unknown_credential_type', 'invalid_request'],
});

import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { rpId } from './rp-id.js';

const count = z.int().min(0);

const ownRpIdSchema = z
  .strictObject({
    rpId: z.string().describe('The domain for which new passkeys are created'),
    ofDeployment: z
      .boolean()
      .describe('Whether it is that of the deployment, which the organization has without one of its own'),
    earlier: z.string().optional().describe('The RP ID whose passkeys still sign in, until the move from it is ended'),
    passkeys: z
      .array(
        z.strictObject({
          rpId: z.string().describe('The RP ID'),
          customers: count.describe('Passkeys of customers that were created for it'),
          people: count.describe('Passkeys of people that were created for it'),
        }),
      )
      .describe('How many passkeys each RP ID has'),
  })
  .meta({ id: 'RpId' });
export type OwnRpId = z.infer<typeof ownRpIdSchema>;

const changedRpIdSchema = ownRpIdSchema.omit({ passkeys: true }).meta({ id: 'ChangedRpId' });

/** The RP ID of the caller's organization, and what a change of it affects. */
export const adminGetRpId = query({
  service: 'directory',
  name: 'admin-get-rp-id',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: ownRpIdSchema,
  errors: ['unknown_organization'],
});
/** As `updateOrganization` with a new RP ID. Passkeys of the earlier one always sign in until the move is ended. */
export const adminChangeRpId = idempotentCommand({
  service: 'directory',
  name: 'admin-change-rp-id',
  callers: ['gateway'],
  request: z.strictObject({ rpId: rpId.nullable().describe('A domain; null for that of the deployment') }),
  reply: z.strictObject({ rpId: changedRpIdSchema }),
  errors: ['unknown_organization', 'invalid_state', 'invalid_request'],
});
/** Passkeys of the earlier RP ID no longer sign in. Refused while no owner could sign in any more. */
export const adminEndRpIdMove = idempotentCommand({
  service: 'directory',
  name: 'admin-end-rp-id-move',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: z.strictObject({ rpId: changedRpIdSchema }),
  errors: ['unknown_organization', 'invalid_state'],
});

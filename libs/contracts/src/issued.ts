import { z } from 'zod';
import { command, query } from './contract.js';
import { credentialSchema } from './customers.js';
import { uuid } from './fields.js';

/** Body of a suspension, resumption or revocation. */
export const reasonSchema = z
  .strictObject({ reason: z.string().trim().min(1).max(200).regex(/^\P{C}*$/u, 'must be printable text').optional().describe('Why, for the record: a word for programs. Kept under a key of the customer, in the log as well, and gone when they are erased').meta({ examples: ['lost_device'] }) })
  .meta({ id: 'Reason' });

/** Of the calling app alone, like everything about its customers (specification §2, visibility). */
export const getIssued = query({
  service: 'issuance', name: 'get-issued', callers: ['gateway'],
  request: z.strictObject({ id: uuid }), reply: credentialSchema, errors: ['unknown_credential'],
});

const transition = (name: 'suspend' | 'resume' | 'revoke') =>
  command({
    service: 'issuance', name: `${name}-credential`, callers: ['gateway'], visibleIn: 'subjects',
    request: z.strictObject({ id: uuid, reason: reasonSchema.shape.reason }),
    reply: credentialSchema, errors: ['unknown_credential', 'not_revocable', 'invalid_state'],
  });

/** issued → suspended: sign-in is refused until it is resumed. */
export const suspendCredential = transition('suspend');
/** suspended → issued. */
export const resumeCredential = transition('resume');
/** issued or suspended → revoked, for ever. Of an offered one: withdrawn. */
export const revokeCredential = transition('revoke');

import { z } from 'zod';
import { command, query } from './contract.js';
import { credentialSchema } from './customers.js';
import { uuid } from './fields.js';

/**
 * No control characters, nothing that turns the direction of text, no private use. As ranges of characters and below the
 * surrogates, since generators and linters of other languages know neither `\p{…}` nor the `u` flag; what ranges cannot say
 * (lone surrogates, tags, unassigned) is refused by the check behind it.
 */
const printable = /^[^\u0000-\u001f\u007f-\u009f\u00ad\u0600-\u0605\u061c\u06dd\u070f\u180e\u200b-\u200f\u202a-\u202e\u2060-\u206f\ue000-\uf8ff\ufeff\ufff9-\uffff]*$/;

/** Body of a suspension, resumption or revocation. */
export const reasonSchema = z
  .strictObject({ reason: z.string().trim().min(1).max(200).regex(printable, 'must be printable text').refine((text) => /^\P{C}*$/u.test(text), 'must be printable text').optional().describe('Why, for the record: a word for programs. Kept under a key of the customer, in the log as well, and gone when they are erased').meta({ examples: ['lost_device'] }) })
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

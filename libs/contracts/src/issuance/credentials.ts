import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { uuid } from '../fields.js';
import { credentialSchema } from './customers.js';

/**
 * Excludes control characters, characters that change the text direction, and private use. It consists of ranges of
 * UTF-16 code units, since generators and linters of other languages support neither `\p{…}` nor the `u` flag. The
 * additional check rejects what ranges cannot express (lone surrogates, tags, unassigned).
 */
const printableRanges = [
  String.raw` -~\u00a0-\u00ac\u00ae-\u05ff\u0606-\u061b\u061d-\u06dc\u06de-\u070e\u0710-`,
  String.raw`\u180d\u180f-\u200a\u2010-\u2029\u202f-\u205f\u2070-\udfff\uf900-\ufefe\uff00-`,
  String.raw`\ufff8`,
];
const printable = new RegExp(`^[${printableRanges.join('')}]*$`);

/** Body of a suspension, resumption or revocation. */
export const reasonSchema = z
  .strictObject({
    reason: z
      .string()
      .trim()
      .min(1)
      .max(200)
      .regex(printable, 'must be printable text')
      .refine((text) => /^\P{C}*$/u.test(text), 'must be printable text')
      .optional()
      .describe(
        'Why: a word for programs, for the audit record. Encrypted with a key of the customer, also in the log, ' +
          'and destroyed when they are erased',
      )
      .meta({ examples: ['lost_device'] }),
  })
  .meta({ id: 'Reason' });

/** Only for the app that issued the credential, like everything about its customers (specification §2.5). */
export const getIssued = query({
  service: 'issuance',
  name: 'get-issued',
  callers: ['gateway'],
  request: z.strictObject({ id: uuid }),
  reply: credentialSchema,
  errors: ['unknown_credential'],
});

const transition = (name: 'suspend' | 'resume' | 'revoke') =>
  idempotentCommand({
    service: 'issuance',
    name: `${name}-credential`,
    callers: ['gateway'],
    visibleIn: 'subjects',
    request: z.strictObject({ id: uuid, reason: reasonSchema.shape.reason }),
    reply: credentialSchema,
    errors: ['unknown_credential', 'invalid_state', 'not_revocable'],
  });

/** issued → suspended: sign-ins are refused until it is resumed. */
export const suspendCredential = transition('suspend');
/** suspended → issued. */
export const resumeCredential = transition('resume');
/** issued or suspended → revoked, permanently. The offer of an offered credential is withdrawn. */
export const revokeCredential = transition('revoke');

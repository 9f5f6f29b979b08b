import { z } from 'zod';
import { readTimeoutMs } from '../audit/read-timeout.js';
import { maxSignInAttempts, signInAttemptSchema } from '../audit/sign-in-attempts.js';
import { query } from '../contract.js';
import { instant, uuid } from '../fields.js';
import { subjectSchema } from '../issuance/customers.js';

/** What a customer can or cannot do, in the order in which it is looked for. */
const signInStates = [
  'signs_in',
  'never_signed_in',
  'refused',
  'suspended',
  'offer_open',
  'expired',
  'revoked',
  'offer_ended',
] as const;
export type SignInState = (typeof signInStates)[number];

const explainedAttemptSchema = signInAttemptSchema
  .extend({ reason: z.string().optional().describe('The code in a sentence') })
  .meta({ id: 'SignInAttempt' });

const signInDiagnosisSchema = z
  .strictObject({
    state: z
      .enum(signInStates)
      .describe(
        'The customer has a live credential and `signs_in`, has `never_signed_in`, or was `refused` at the last ' +
          'attempt; or has none, because it is `suspended`, waits for its claim (`offer_open`), has `expired`, was ' +
          '`revoked`, or was never claimed (`offer_ended`)',
      ),
    explanation: z.string().describe('What that means, in a sentence'),
    remedy: z.string().describe('What to do'),
    at: instant
      .optional()
      .describe('When the last attempt was, the credential expired or was revoked, or the offer ends'),
    credentialId: z.string().optional().describe('The credential that is the reason'),
    attempts: z
      .array(explainedAttemptSchema)
      .describe(`The last attempts to sign in that name this customer, newest first, at most ${maxSignInAttempts}`),
    customer: subjectSchema.describe('The customer, with every credential, what holds it, and open offers'),
  })
  .meta({ id: 'SignInDiagnosis' });
export type SignInDiagnosis = z.infer<typeof signInDiagnosisSchema>;

/** Why a customer can or cannot sign in: from their credentials, and from their last attempts in the audit log. */
export const diagnoseSignIn = query({
  service: 'subjects',
  // It reads the audit log.
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'diagnose-sign-in',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ subject: uuid }),
  reply: signInDiagnosisSchema,
  errors: ['unknown_subject'],
});

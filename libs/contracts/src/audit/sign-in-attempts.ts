import { z } from 'zod';
import { query } from '../contract.js';
import { instant, uuid } from '../fields.js';
import { outcomes } from './audit-record.js';
import { readTimeoutMs } from './read-timeout.js';

export const maxSignInAttempts = 10;

/** An attempt of a customer to sign in, as the log has it. */
export const signInAttemptSchema = z.strictObject({
  occurredAt: instant.describe('When it happened'),
  app: z.string().optional().describe('Client ID of the app'),
  result: z.enum(outcomes).describe('`success`, or how it was refused'),
  code: z.string().optional().describe('Why it was refused'),
});
export type SignInAttempt = z.infer<typeof signInAttemptSchema>;

/** The last attempts that name a customer, newest first. Its caller may read nothing else of the log. */
export const listSignInAttempts = query({
  service: 'audit',
  timeoutMs: readTimeoutMs,
  dividedByOrganization: true,
  name: 'list-sign-in-attempts',
  callers: ['subjects'],
  request: z.strictObject({ subject: uuid }),
  reply: z.strictObject({ items: z.array(signInAttemptSchema).max(maxSignInAttempts) }),
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { removedPasskey } from '../directory/person-sign-in.js';
import { relyingPartySchema } from '../directory/rp-id.js';
import { clientId, instant, passkeyId, uuid } from '../fields.js';
import { browserHash, webAuthnJson } from '../issuance/claims.js';
import { customerDenialReasons } from '../issuance/sign-in.js';
import { sessionHash } from './session-hash.js';

/** The interaction of a sign-in to the account page: a challenge is valid for this browser and page only. */
export function accountInteraction(browser: string): string {
  return `account:${browser}`;
}

/** How long the account page stays signed in. Each addition and removal therefore follows a fresh sign-in. */
export const accountSessionSeconds = 600;

/** Session of a customer at the account page. Its secret is in the page alone, and only this browser can use it. */
const accountSession = { session: sessionHash, browser: browserHash };

export const createAccountSession = command({
  service: 'auth',
  name: 'create-account-session',
  callers: ['gateway'],
  request: z.strictObject({
    ...accountSession,
    response: webAuthnJson,
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({ outcome: z.literal('signed_in') }),
    z.strictObject({
      outcome: z.literal('refused'),
      reason: z.enum(customerDenialReasons),
      removed: removedPasskey,
    }),
  ]),
  errors: ['ceremony_expired', 'passkey_invalid'],
});

export const findAccountSession = query({
  service: 'auth',
  name: 'find-account-session',
  callers: ['gateway'],
  request: z.strictObject(accountSession),
  reply: z.strictObject({ subject: uuid, passkey: passkeyId }),
  errors: ['account_session_ended'],
});

export const endAccountSession = command({
  service: 'auth',
  name: 'end-account-session',
  callers: ['gateway'],
  request: z.strictObject(accountSession),
  reply: z.strictObject({}),
});

export const sessionId = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the id of a session, 43 characters')
  .describe('The session: its `id`, which opens nothing');

/** A browser in which a customer is signed in, or an app that stays signed in without one. */
export const customerSessionSchema = z
  .strictObject({
    id: sessionId,
    signedInAt: instant.describe('When the customer signed in there'),
    expiresAt: instant.describe('When it ends by itself'),
    passkey: passkeyId.optional().describe('The passkey that signed in; absent for a sign-in of before it was stored'),
    apps: z
      .array(
        z.strictObject({
          clientId: clientId.describe('The app'),
          name: z.string().describe('Its display name'),
        }),
      )
      .describe('The apps that were signed in to'),
    browser: z.boolean().describe('False for an app that stays signed in while no browser is'),
  })
  .meta({ id: 'CustomerSession' });
export type CustomerSession = z.infer<typeof customerSessionSchema>;

const sessionsReply = z
  .strictObject({ items: z.array(customerSessionSchema).describe('Newest first, a hundred at most') })
  .meta({ id: 'CustomerSessions' });
const endedReply = z.strictObject({ changed: z.int().describe('How many have ended') });

/** Of a customer of the calling app. */
export const listCustomerSessions = query({
  service: 'auth',
  name: 'list-customer-sessions',
  callers: ['gateway'],
  request: z.strictObject({ subject: uuid }),
  reply: sessionsReply,
  errors: ['unknown_subject'],
});

export const endCustomerSessions = command({
  service: 'auth',
  name: 'end-customer-sessions',
  callers: ['gateway'],
  request: z.strictObject({ subject: uuid }),
  reply: endedReply,
  errors: ['unknown_subject'],
});

/** Those of the customer whose account page is signed in. */
export const listOwnSessions = query({
  service: 'auth',
  name: 'list-own-sessions',
  callers: ['gateway'],
  request: z.strictObject(accountSession),
  reply: sessionsReply,
  errors: ['account_session_ended'],
});

export const endOwnSessions = command({
  service: 'auth',
  name: 'end-own-sessions',
  callers: ['gateway'],
  request: z.strictObject({ ...accountSession, only: sessionId.optional().describe('Absent: all of them') }),
  reply: endedReply,
  errors: ['account_session_ended'],
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant, uuid } from '../fields.js';
import { acceptedPasskeysSchema, browserHash, webAuthnJson } from '../issuance/claims.js';
import { relyingPartySchema } from './rp-id.js';

/** The fragment of an invitation link: 256 random bits that are accepted once. */
export const invitationTokenSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the 43 characters after the # of the invitation link')
  .describe('The text after the # of the invitation link');

/** Data of an invitation that is shown to anybody with the link: nothing about the person. */
export const invitationLinkSchema = z.strictObject({
  state: z
    .enum(['open', 'accepted', 'expired', 'withdrawn'])
    .describe('`open`: it can be accepted. A superseded link counts as withdrawn'),
  recovery: z.boolean().describe('Accepting it replaces all earlier passkeys of the person'),
  expiresAt: instant.describe('When the link expires'),
});
export type InvitationLink = z.infer<typeof invitationLinkSchema>;

const closed = ['invitation_accepted', 'invitation_expired', 'invitation_withdrawn'] as const;

/** A query that changes nothing, so that link scanners are harmless. */
export const getInvitation = query({
  service: 'directory',
  name: 'get-invitation',
  callers: ['gateway'],
  request: z.strictObject({ token: invitationTokenSchema }),
  reply: invitationLinkSchema,
  errors: ['unknown_invitation'],
});

export const beginInvitation = command({
  service: 'directory',
  name: 'begin-invitation',
  callers: ['gateway'],
  request: z.strictObject({
    token: invitationTokenSchema,
    organizationName: z.string(),
    browser: browserHash.optional(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ options: webAuthnJson }),
  errors: ['unknown_invitation', ...closed],
});

/** Of concurrent completions exactly one succeeds. The audit record names the person as the actor. */
export const completeInvitation = command({
  service: 'directory',
  name: 'complete-invitation',
  callers: ['gateway'],
  request: z.strictObject({
    token: invitationTokenSchema,
    response: webAuthnJson,
    browser: browserHash.optional(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({
    person: uuid.describe('For the audit record; not sent to the page'),
    acceptedPasskeys: acceptedPasskeysSchema.optional(),
  }),
  errors: ['unknown_invitation', ...closed, 'ceremony_expired', 'passkey_invalid'],
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { relyingPartySchema } from '../directory/rp-id.js';
import { instant, passkeyId, uuid } from '../fields.js';
import { customerPasskeySchema } from './account.js';
import { acceptedPasskeysSchema, browserHash, claimTokenSchema, webAuthnJson } from './claims.js';

/** How long a link works by which another device makes a passkey. */
export const passkeyLinkSeconds = 600;

/** The part of the link after `#`, in the form of a claim token. */
const token = claimTokenSchema;
const signedIn = { subject: uuid, passkey: passkeyId.describe('The passkey that signed in') };
/** Both devices show it, so that the customer confirms the passkey that they have made themselves. */
const code = z.string().regex(/^[0-9A-Z]{4}$/, 'must be a code of 4 characters');

/** A new link of a customer ends the one before. */
export const createPasskeyLink = command({
  service: 'issuance',
  name: 'create-passkey-link',
  callers: ['gateway'],
  request: z.strictObject(signedIn),
  reply: z.strictObject({ token, expiresAt: instant.describe('When the link ends') }),
  errors: ['account_session_ended', 'invalid_state'],
});

export const passkeyLinkStateSchema = z.strictObject({
  state: z
    .enum(['none', 'open', 'created', 'confirmed'])
    .describe('`created`: another device has made a passkey, which waits for the confirmation'),
  code: code.optional().describe('What the other device shows'),
  name: z.string().optional().describe('Provider of the passkey, if it is known'),
});

/** For the page that made the link. */
export const getPasskeyLink = query({
  service: 'issuance',
  name: 'get-passkey-link',
  callers: ['gateway'],
  request: z.strictObject(signedIn),
  reply: passkeyLinkStateSchema,
  errors: ['account_session_ended'],
});

export const confirmPasskeyLink = command({
  service: 'issuance',
  name: 'confirm-passkey-link',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ ...signedIn, code, relyingParty: relyingPartySchema.optional() }),
  reply: z.strictObject({ passkey: customerPasskeySchema, acceptedPasskeys: acceptedPasskeysSchema }),
  errors: ['account_session_ended', 'passkey_link_expired', 'invalid_state', 'passkey_invalid'],
});

export const endPasskeyLink = command({
  service: 'issuance',
  name: 'end-passkey-link',
  callers: ['gateway'],
  request: z.strictObject(signedIn),
  reply: z.strictObject({}),
  errors: ['account_session_ended'],
});

/** What the link shows on the other device. A query that changes nothing, so that link scanners are harmless. */
export const readPasskeyLink = query({
  service: 'issuance',
  name: 'read-passkey-link',
  callers: ['gateway'],
  request: z.strictObject({ token }),
  reply: z.strictObject({
    state: z.enum(['open', 'used', 'expired']).describe('Whether a passkey can be made with it'),
    expiresAt: instant.describe('When the link ends'),
  }),
  errors: ['unknown_passkey_link'],
});

const linkErrors = ['unknown_passkey_link', 'passkey_link_used', 'passkey_link_expired', 'invalid_state'] as const;

export const beginLinkedPasskey = command({
  service: 'issuance',
  name: 'begin-linked-passkey',
  callers: ['gateway'],
  request: z.strictObject({
    token,
    browser: browserHash,
    organizationName: z.string(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ options: webAuthnJson }),
  errors: linkErrors,
});

/** Of concurrent devices one succeeds. The passkey signs in once it is confirmed. */
export const completeLinkedPasskey = command({
  service: 'issuance',
  name: 'complete-linked-passkey',
  callers: ['gateway'],
  request: z.strictObject({
    token,
    browser: browserHash,
    response: webAuthnJson,
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ code }),
  errors: [...linkErrors, 'ceremony_expired', 'passkey_invalid'],
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { relyingPartySchema, rpId } from '../directory/rp-id.js';
import { credentialTypeName, instant, uuid } from '../fields.js';

/** The fragment of a claim link: 256 random bits that claim one credential, once. */
export const claimTokenSchema = z
  .string()
  .regex(/^[A-Za-z0-9_-]{43}$/, 'must be the 43 characters after the # of the claim link')
  .describe('The text after the # of the claim link');

const claimStates = ['open', 'claimed', 'expired', 'withdrawn'] as const;

/** Data of a claim that is shown to anybody with the link. */
export const claimSchema = z
  .strictObject({
    state: z.enum(claimStates).describe('`open`: it can be claimed. A superseded offer counts as withdrawn'),
    credentialType: z
      .strictObject({
        name: credentialTypeName.describe('For programs'),
        display: z.string().describe('For people'),
        only: z.literal(true).optional().describe('The organization has no other type: a page need not show it'),
      })
      .describe('What the claim issues'),
    adds: z
      .literal(true)
      .optional()
      .describe('The customer holds this credential already; claiming adds a passkey, and the earlier ones stay'),
    recovery: z.boolean().describe('The customer holds this credential already; claiming moves it to a new passkey'),
    expiresAt: instant.describe('When the offer ends'),
    returnUrl: z.url().optional().describe('Where to go on after the claim'),
  })
  .meta({ id: 'Claim' });
export type Claim = z.infer<typeof claimSchema>;

/** JSON of the WebAuthn API (Level 3 §5.1.8–9), which the WebAuthn libraries on both sides read and write. */
export const webAuthnJson = z.record(z.string(), z.unknown());
export type WebAuthnJson = z.infer<typeof webAuthnJson>;

/** Argument of `PublicKeyCredential.signalAllAcceptedCredentials()` (WebAuthn Level 3 §5.1.10.3). */
export const acceptedPasskeysSchema = z.strictObject({
  rpId: rpId.describe('RP ID of the passkeys'),
  userId: z.string().describe('User handle, base64url'),
  allAcceptedCredentialIds: z.array(z.string()).describe('The passkeys of this handle that still sign in'),
});

export type AcceptedPasskeys = z.infer<typeof acceptedPasskeysSchema>;

/** SHA-256 of the secret in a browser's cookie, base64url. Only this browser can complete its ceremony. */
export const browserHash = z.string().regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 hash in base64url');

/** A query that changes nothing, so that link scanners are harmless. */
export const getClaim = query({
  service: 'issuance',
  name: 'get-claim',
  callers: ['gateway'],
  request: z.strictObject({ token: claimTokenSchema }),
  reply: claimSchema,
  errors: ['unknown_claim'],
});

export const beginClaim = command({
  service: 'issuance',
  name: 'begin-claim',
  callers: ['gateway'],
  request: z.strictObject({
    token: claimTokenSchema,
    organizationName: z.string(),
    browser: browserHash.optional(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ options: webAuthnJson }),
  errors: ['unknown_claim', 'claim_spent', 'claim_expired', 'claim_withdrawn', 'invalid_state'],
});

/** Of concurrent claims exactly one succeeds. The audit record names the customer as the actor. */
export const completeClaim = command({
  service: 'issuance',
  name: 'complete-claim',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({
    token: claimTokenSchema,
    response: webAuthnJson,
    browser: browserHash.optional(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({
    returnUrl: z.url().optional(),
    subject: uuid.describe('For the audit record; not sent to the page'),
    acceptedPasskeys: acceptedPasskeysSchema.optional(),
  }),
  errors: [
    'unknown_claim',
    'claim_spent',
    'claim_expired',
    'claim_withdrawn',
    'ceremony_expired',
    'passkey_invalid',
    'invalid_state',
  ],
});

/**
 * How many passkeys an organization has for each RP ID: shows what a change of the RP ID affects, and the progress of a
 * move.
 */
export const countPasskeys = query({
  service: 'issuance',
  name: 'count-passkeys',
  callers: ['directory', 'operator'],
  request: z.strictObject({}),
  reply: z.strictObject({
    ownRpId: rpId.describe('Of the deployment'),
    items: z.array(z.strictObject({ rpId: z.string(), passkeys: z.int() })),
  }),
  errors: ['unknown_organization'],
});

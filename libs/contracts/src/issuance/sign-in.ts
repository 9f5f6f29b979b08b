import { z } from 'zod';
import { command, query } from '../contract.js';
import { shownOrganizationSchema } from '../directory/organizations.js';
import { personDenialReasons } from '../directory/person-denials.js';
import { counterWentBack, removedPasskey } from '../directory/person-sign-in.js';
import { relyingPartySchema, rpId } from '../directory/rp-id.js';
import { credentialTypeName, instant, passkeyId, uuid } from '../fields.js';
import { webAuthnJson } from './claims.js';

/** The `credential` claim of a customer's tokens, in place of e-mail and name (specification §2.4). */
const credentialClaimSchema = z.strictObject({
  id: z.string(),
  type: credentialTypeName,
  document_number: z.string().describe('Changes with every renewal: do not use it as a key'),
  issued_at: instant,
  expires_at: instant.optional(),
});
export type CredentialClaim = z.infer<typeof credentialClaimSchema>;

/**
 * Options of a sign-in ceremony, bound to one interaction, valid for ten minutes and for one response.
 */
export const beginSignIn = command({
  service: 'issuance',
  name: 'begin-sign-in',
  callers: ['auth', 'gateway'],
  request: z.strictObject({ interaction: z.string().max(128), relyingParty: relyingPartySchema.optional() }),
  reply: z.strictObject({ options: webAuthnJson, earlierRpId: rpId.optional() }),
});

export const customerDenialReasons = [
  'unknown_passkey',
  'other_organization',
  'counter_went_back',
  'no_live_credential',
] as const;

/**
 * Verifies an assertion (with user verification) and finds the live credential of the requested type. `refused` is a
 * reply and no error: the page shows the reason and stays usable.
 */
export const completeSignIn = command({
  service: 'issuance',
  name: 'complete-sign-in',
  callers: ['auth'],
  request: z.strictObject({
    interaction: z.string().max(128),
    credentialType: credentialTypeName.optional(),
    anyType: z.literal(true).optional().describe('A credential of whichever type is enough, and none is renewed'),
    response: webAuthnJson,
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('signed_in'),
      subject: uuid,
      credential: credentialClaimSchema,
      version: z.int().optional().describe("Version of the customer's state at the sign-in"),
      passkey: passkeyId.optional().describe('The passkey that signed in'),
      deviceBound: z.boolean().optional().describe('Whether the passkey is bound to its device'),
      counterWentBack,
    }),
    z.strictObject({
      outcome: z.literal('refused'),
      reason: z.enum(customerDenialReasons),
      subject: uuid.optional(),
      removed: removedPasskey,
    }),
  ]),
  errors: ['ceremony_expired', 'passkey_invalid'],
});

/**
 * The state of a customer, which auth queries whenever it makes a statement about them (userinfo, refresh, silent
 * sign-in). `unknown`: erased, or never existed. `not_live`: suspended, revoked, expired or not of the requested type.
 */
export const customerStatus = query({
  service: 'issuance',
  name: 'customer-status',
  callers: ['auth'],
  request: z.strictObject({
    subject: uuid,
    credentialType: credentialTypeName.optional(),
    passkey: passkeyId.optional().describe('The passkey of the sign-in'),
  }),
  reply: z.discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('live'),
      credential: credentialClaimSchema,
      since: z
        .int()
        .optional()
        .describe(
          'Sign-ins at an earlier version of the customer are invalid: the passkey was replaced, or the ' +
            'credential was suspended, since',
        ),
      passkeyRemoved: z.literal(true).optional().describe('The customer has removed the passkey of the sign-in'),
    }),
    z.strictObject({ state: z.literal('not_live') }),
    z.strictObject({ state: z.literal('unknown') }),
  ]),
});

/**
 * Response of GET /o/{shortId}/api/sign-in/{uid}: data for the sign-in page. 404 `unknown_sign_in` without such a
 * sign-in.
 */
export const signInSchema = z
  .strictObject({
    organization: shownOrganizationSchema
      .extend({ shortId: z.string().describe('Short ID, as in the URL') })
      .describe('The organization of the issuer'),
    app: z
      .strictObject({
        name: z.string().describe('Its display name, or the name it was registered under'),
        uri: z
          .url()
          .optional()
          .describe(
            'A page of the app to return to when the sign-in has ended: a post-logout redirect URI or the ' +
              'origin of the redirect URI; absent for private-use schemes',
          ),
      })
      .describe('The app that requested the sign-in'),
    audience: z
      .enum(['customers', 'people'])
      .optional()
      .describe('Who signs in to the app: customers of the organization, or its own people'),
    device: z
      .literal(true)
      .optional()
      .describe('The app runs on another device, which shows a code (RFC 8628): the sign-in is for that device'),
    earlierPasskeys: z
      .literal(true)
      .optional()
      .describe('Customers are moving to another RP ID: passkeys of the earlier one sign in as well'),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof signInSchema>;

/** Response of POST …/options. */
export const signInOptionsSchema = z
  .strictObject({
    options: webAuthnJson.describe('PublicKeyCredentialRequestOptionsJSON (WebAuthn Level 3 §5.1.9)'),
    earlierRpId: rpId
      .optional()
      .describe(
        'While customers are moving to another RP ID: the same options with this `rpId` find the earlier passkeys',
      ),
  })
  .meta({ id: 'SignInOptions' });
export type SignInOptions = z.infer<typeof signInOptionsSchema>;

/**
 * Response of POST …/complete and …/cancel. With `redirectTo` the sign-in has ended and the page redirects. `refused`
 * alone means that this passkey is not accepted, and another may be tried.
 */
export const signInResultSchema = z
  .strictObject({
    redirectTo: z.url().optional().describe('The sign-in has ended: the page redirects there'),
    refused: z
      .enum([...new Set([...customerDenialReasons, ...personDenialReasons])])
      .optional()
      .describe('Why this passkey is not accepted'),
    removed: removedPasskey,
  })
  .meta({ id: 'SignInResult' });
export type SignInResult = z.infer<typeof signInResultSchema>;

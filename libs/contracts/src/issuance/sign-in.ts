import { z } from 'zod';
import { command, query } from '../contract.js';
import { relyingPartySchema, rpId } from '../directory/rp-id.js';
import { credentialTypeName, instant, uuid } from '../fields.js';
import { webAuthnJson } from './claims.js';

/** The `credential` claim of a customer's tokens, in place of e-mail and name (specification §2.4). */
export const credentialClaimSchema = z.strictObject({
  id: z.string(),
  type: credentialTypeName,
  document_number: z.string().describe('Changes on every renewal: never a key'),
  issued_at: instant,
  expires_at: instant.optional(),
});
export type CredentialClaim = z.infer<typeof credentialClaimSchema>;

/**
 * Options of a sign-in ceremony, bound to one interaction, valid for ten minutes and one response; of many, the newest
 * five count.
 */
export const beginSignIn = command({
  service: 'issuance',
  name: 'begin-sign-in',
  callers: ['auth'],
  request: z.strictObject({ interaction: z.string().max(128), relyingParty: relyingPartySchema.optional() }),
  reply: z.strictObject({ options: webAuthnJson, earlierRpId: rpId.optional() }),
});

export const signInDenialReasons = ['unknown_passkey', 'other_organization', 'no_live_credential'] as const;

/**
 * Verifies an assertion (user verification required, challenge consumed first) and looks up the live credential of the
 * wanted type. `refused` is a reply and not an error: the page shows it and stays usable.
 */
export const completeSignIn = command({
  service: 'issuance',
  name: 'complete-sign-in',
  callers: ['auth'],
  request: z.strictObject({
    interaction: z.string().max(128),
    credentialType: credentialTypeName.optional(),
    response: webAuthnJson,
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('signed_in'),
      subject: uuid,
      credential: credentialClaimSchema,
      version: z.int().optional().describe('Of the customer, when they signed in'),
      deviceBound: z.boolean().optional().describe('Whether the passkey cannot leave its device'),
    }),
    z.strictObject({ outcome: z.literal('refused'), reason: z.enum(signInDenialReasons), subject: uuid.optional() }),
  ]),
  errors: ['ceremony_expired', 'passkey_invalid'],
});

/**
 * What auth must know of a customer whenever it speaks for them (userinfo, refresh, silent sign-in): `unknown` is
 * erased or never known, `not_live` is suspended, revoked, expired or not of the wanted type.
 */
export const customerStatus = query({
  service: 'issuance',
  name: 'customer-status',
  callers: ['auth'],
  request: z.strictObject({ subject: uuid, credentialType: credentialTypeName.optional() }),
  reply: z.discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('live'),
      credential: credentialClaimSchema,
      since: z
        .int()
        .optional()
        .describe(
          'Sign-ins at an earlier version of the customer are over: their key was replaced, or the ' +
            'credential was suspended meanwhile',
        ),
    }),
    z.strictObject({ state: z.literal('not_live') }),
    z.strictObject({ state: z.literal('unknown') }),
  ]),
});

/**
 * GET /o/{shortId}/api/sign-in/{uid}: what the sign-in page may show. 404 `unknown_sign_in` when there is nothing to
 * sign in to.
 */
export const signInSchema = z
  .strictObject({
    organization: z
      .strictObject({
        shortId: z.string().describe('As it stands in the address'),
        name: z.string().describe('For people'),
      })
      .describe('The organization of the issuer'),
    app: z
      .strictObject({
        name: z.string().describe('Its display name, or the name it was registered under'),
        uri: z
          .url()
          .optional()
          .describe(
            'A page of the app, to lead back to when the sign-in has ended: a post-logout redirect URI or the ' +
              'origin of the redirect URI; absent for private-use schemes',
          ),
      })
      .describe('The app that wants the customer signed in'),
    earlierPasskeys: z
      .literal(true)
      .optional()
      .describe('Customers are moving to another RP ID: passkeys of the earlier one sign in as well'),
  })
  .meta({ id: 'SignIn' });
export type SignIn = z.infer<typeof signInSchema>;

/** POST …/options. */
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

/**
 * POST …/complete and …/cancel. With `redirectTo` the sign-in is over and the page goes there; `refused` alone says
 * that this passkey will not do, and another may be tried.
 */
export const signInResultSchema = z
  .strictObject({
    redirectTo: z.url().optional().describe('The sign-in is over: the page goes there'),
    refused: z.enum(signInDenialReasons).optional().describe('Why this passkey will not do'),
  })
  .meta({ id: 'SignInResult' });
export type SignInResult = z.infer<typeof signInResultSchema>;

import { z } from 'zod';
import { command, idempotencyErrors, idempotentCommand, query } from '../contract.js';
import { clientId, credentialTypeName, instant, pageLimit, uuid } from '../fields.js';
import { makerSchema, type Maker } from '../maker.js';
import type { RoleOperation } from '../roles.js';
import { presenceSchema } from './presence.js';

/** Body of an offer. No field can carry a name or an address (specification §1). */
const offerRequestSchema = z
  .strictObject({
    credentialType: credentialTypeName
      .optional()
      .describe(
        'Name of the credential type. When left out: the type with which customers sign in to the calling app, else ' +
          "the organization's default type",
      ),
    subject: uuid
      .optional()
      .describe(
        'A customer of this app, to offer a further type or to recover a lost credential; needs the scope ' +
          '`issued:manage` as well',
      ),
    app: clientId
      .optional()
      .describe(
        'For people: the app whose customer it becomes, enabled and with the scope `offers:write`. Left out with ' +
          '`subject`, and by apps',
      ),
    adds: z
      .literal(true)
      .optional()
      .describe(
        'Adds a passkey to a live credential that the customer holds: with `subject`. The earlier passkeys, `id`, ' +
          '`issuedAt`, `document_number` and the expiration stay. Without it, an offer of that type is a recovery, ' +
          'which replaces all passkeys',
      ),
    offerExpiresIn: z
      .int()
      .positive()
      .optional()
      .describe(
        'Seconds until the offer can no longer be claimed: 600 (ten minutes) to 2592000 (30 days), 259200 ' +
          '(72 hours) when left out',
      )
      .meta({ examples: [259200] }),
    validUntil: z.iso
      .datetime({ offset: true })
      .optional()
      .describe(
        'RFC 3339 time at which the credential expires, at the latest; must be after the expiration of the offer. ' +
          'Not allowed for a credential that the customer holds and that has not expired: a recovery keeps its ' +
          'expiration',
      ),
    presence: presenceSchema
      .optional()
      .describe('Proof that a person was present on the sign-up form; valid for one offer'),
    // Not z.url(), which trims spaces: the URL must equal a registered one exactly.
    returnUrl: z
      .string()
      .max(2000)
      .refine((url) => URL.canParse(url), 'must be a URL')
      .meta({ format: 'uri' })
      .optional()
      .describe('Where the claim page leads afterwards; must equal a redirect URI registered for the calling app'),
  })
  .meta({ id: 'OfferRequest' });
export type OfferRequest = z.infer<typeof offerRequestSchema>;

export const offerSchema = z
  .strictObject({
    subject: uuid.describe("The customer's identifier, to be stored with the customer's account"),
    claimUrl: z.url().describe('Link that claims the credential, once; hand it to the customer and keep no copy'),
    offerId: uuid.describe('The offer, for withdrawing it'),
    credentialId: uuid.describe('The credential that the claim will issue'),
    credentialType: credentialTypeName.describe('Name of the credential type'),
    expiresAt: instant.describe('When the offer expires'),
  })
  .meta({ id: 'Offer' });
export type Offer = z.infer<typeof offerSchema>;

export const createOffer = command({
  service: 'issuance',
  name: 'create-offer',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ offer: offerRequestSchema, idempotencyKey: z.string().optional() }),
  reply: z.strictObject({
    offer: offerSchema,
    replayed: z.boolean().describe('The response repeats that of an earlier request with this Idempotency-Key'),
  }),
  errors: [
    'invalid_request',
    'unknown_subject',
    'unknown_credential_type',
    'invalid_state',
    'presence_required',
    'presence_invalid',
    'presence_expired',
    'presence_replayed',
    'presence_unavailable',
    ...idempotencyErrors,
  ],
});

const offerDetailsSchema = z
  .strictObject({
    offerId: uuid.describe('The offer'),
    subject: uuid.describe('The customer to whom it was made'),
    credentialId: uuid.describe('The credential that its claim issues'),
    credentialType: credentialTypeName.describe('Name of the credential type'),
    status: z
      .enum(['open', 'claimed', 'withdrawn', 'superseded', 'expired'])
      .describe(
        'Only an `open` offer can be claimed. It is `withdrawn` by the app, by an administrator, by a suspension or ' +
          'revocation, or when the app may not make such offers any more, ' +
          '`superseded` by a later offer of the same type, and `expired` from `expiresAt` on',
      ),
    createdAt: instant.describe('When the offer was made'),
    expiresAt: instant.describe('When the offer expires, or would have expired'),
  })
  .meta({ id: 'OfferDetails' });
export type OfferDetails = z.infer<typeof offerDetailsSchema>;

/** Of the calling app alone (specification §2.5). The claim link is not stored, so no response repeats it. */
export const getOffer = query({
  service: 'issuance',
  name: 'get-offer',
  callers: ['gateway'],
  request: z.strictObject({ offerId: uuid }),
  reply: offerDetailsSchema,
  errors: ['unknown_offer'],
});

export const withdrawOffer = idempotentCommand({
  service: 'issuance',
  name: 'withdraw-offer',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ offerId: uuid }),
  reply: z.strictObject({}),
  errors: ['unknown_offer', 'invalid_state'],
});

/**
 * What an offer needs of its maker, for as long as it is open (product §4): a right that is lost ends it. One to an
 * existing customer could take them over, so it needs more than a sign-up form has.
 */
export function operationsOfOffer(
  { existingCustomer }: { existingCustomer: boolean },
  { type }: Pick<Maker, 'type'>,
): RoleOperation[] {
  if (!existingCustomer) return ['offers:write'];
  return ['offers:write', type === 'person' ? 'customers:support' : 'issued:manage'];
}

const openOfferSchema = offerDetailsSchema
  .omit({ status: true })
  .extend({
    app: clientId.describe('The app whose customer it is for'),
    maker: makerSchema.describe('The app or the person who made it'),
    existingCustomer: z.boolean().describe('Made to a customer who was known already: a further type, or a recovery'),
  })
  .meta({ id: 'OpenOffer' });
export type OpenOffer = z.infer<typeof openOfferSchema>;
const openOfferCursorSchema = z.strictObject({ app: clientId, offerId: uuid });

/** The open offers of every app of the organization, for those who administer its apps. */
export const adminListOffers = query({
  service: 'issuance',
  name: 'admin-list-offers',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    app: clientId.optional(),
    limit: pageLimit,
    after: openOfferCursorSchema.optional(),
  }),
  reply: z.strictObject({ items: z.array(openOfferSchema), next: openOfferCursorSchema.optional() }),
  errors: ['unknown_organization'],
});

/** Whichever app made it. */
export const adminWithdrawOffer = idempotentCommand({
  service: 'issuance',
  name: 'admin-withdraw-offer',
  callers: ['gateway', 'operator'],
  visibleIn: 'subjects',
  request: z.strictObject({ offerId: uuid }),
  reply: z.strictObject({}),
  errors: ['unknown_offer', 'invalid_state'],
});

export const eraseSubject = idempotentCommand({
  service: 'issuance',
  name: 'erase-subject',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ subject: uuid }),
  reply: z.strictObject({}),
  errors: ['unknown_subject'],
});

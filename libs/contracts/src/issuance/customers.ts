import { z } from 'zod';
import { clientId, credentialTypeName, instant, uuid } from '../fields.js';

/** Specification §3: expiration is derived from time and is no status. */
const credentialStatuses = ['offered', 'issued', 'suspended', 'revoked'] as const;
export type CredentialStatus = (typeof credentialStatuses)[number];

/** What holds a credential: of which kind, and since when. Never a name, which could be that of a person. */
const holderSchema = z
  .strictObject({
    type: z.enum(['passkey']).describe('The kind of holder'),
    addedAt: instant.describe('When it was added'),
  })
  .meta({ id: 'Holder' });

/** Specification §2.2. */
export const credentialSchema = z
  .strictObject({
    id: z.string().describe('The issued credential'),
    credentialType: credentialTypeName.describe('Name of the credential type'),
    status: z.enum(credentialStatuses).describe('An expired offer keeps the status `offered`; expiration is no status'),
    issuedAt: instant.optional().describe('When the customer first held it, across renewals'),
    expiresAt: instant
      .optional()
      .describe('When it expires, if it does; of one that is only offered, the latest time that the offer allows'),
    revokedAt: instant.optional().describe('When it was revoked'),
    revokedReason: z.string().optional().describe('Why it was revoked'),
    revocable: z
      .boolean()
      .describe(
        'Whether it can be revoked or suspended at all; a pass that is not revocable simply ends when it expires',
      ),
    holderId: uuid.describe('The customer it was issued to'),
    holderClaimedAt: instant.optional().describe('When the customer claimed it'),
    holderApp: z.string().optional().describe('The app through which the customer claimed it'),
    holders: z
      .array(holderSchema)
      .optional()
      .describe('What holds it now, oldest first: one passkey, or several. Absent unless it is issued or suspended'),
    createdAt: instant.describe('When it was created'),
  })
  .meta({ id: 'Credential' });
export type Credential = z.infer<typeof credentialSchema>;

/** People see the customers of every app (docs/people.md); an app sees its own only. */
const appOfCustomer = clientId.optional().describe('The app that the customer belongs to; in responses to people only');

/** What people see of an offer that waits for its claim. */
const waitingOfferSchema = z
  .strictObject({
    offerId: uuid.describe('The offer'),
    credentialId: uuid.describe('The credential that its claim issues'),
    createdAt: instant.describe('When it was made'),
    expiresAt: instant.describe('When it expires'),
  })
  .meta({ id: 'WaitingOffer' });

/** Specification §2.1, the form of a single subject. */
export const subjectSchema = z
  .strictObject({
    subject: uuid.describe('The customer'),
    claimed: z.boolean().describe('Whether the customer has claimed a credential'),
    app: appOfCustomer,
    offers: z
      .array(waitingOfferSchema)
      .optional()
      .describe('The offers that wait for a claim, and have not expired; in responses to people only'),
    credentials: z.array(credentialSchema).describe('Every credential issued to the customer'),
  })
  .meta({ id: 'Subject' });
export type Subject = z.infer<typeof subjectSchema>;

/** Specification §2.1, the form in lists. */
export const subjectSummarySchema = z
  .strictObject({
    subject: uuid.describe('The customer'),
    claimed: z.boolean().describe('Whether the customer has claimed a credential'),
    app: appOfCustomer,
    credentials: z.int().describe('Count of credentials issued to the customer, in any state, unclaimed ones included'),
    live: z.int().describe('Count of credentials currently live: issued and not expired; a suspended one is not live'),
    openOffers: z
      .int()
      .describe('Count of offers still waiting to be claimed; expired, withdrawn and superseded ones do not count'),
    lastIssuedAt: instant
      .optional()
      .describe('When a credential was last issued to the customer; a renewal does not count'),
    createdAt: instant.describe('When the app made its first offer to this customer'),
  })
  .meta({ id: 'SubjectSummary' });
export type SubjectSummary = z.infer<typeof subjectSummarySchema>;

const offerStatuses = ['open', 'claimed', 'withdrawn', 'superseded'] as const;

/** An offer in an event, without its claim token. */
const offerStateSchema = z.looseObject({
  id: uuid.describe('The offer'),
  credentialId: uuid.describe('The credential that it offers'),
  status: z.enum(offerStatuses).describe('An expired offer stays `open`'),
  createdAt: instant.describe('When it was made'),
  expiresAt: instant.describe('When it expires'),
});

/** The whole public state of a customer in an event: ids and states only. */
export const subjectStateSchema = z.looseObject({
  subject: uuid.describe('The customer'),
  app: z.string().describe('The app that made the first offer: the only one that can access this customer'),
  createdAt: instant.describe('When the app made its first offer to this customer'),
  credentials: z.array(z.looseObject(credentialSchema.shape)).describe('Every credential, in order of creation'),
  offers: z.array(offerStateSchema).describe('The open offers, in order of creation; expired ones included'),
});
export type SubjectState = z.infer<typeof subjectStateSchema>;

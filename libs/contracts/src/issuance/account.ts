import { z } from 'zod';
import { command, query } from '../contract.js';
import { passkeyName } from '../directory/person-fields.js';
import { relyingPartySchema } from '../directory/rp-id.js';
import { credentialTypeName, instant, passkeyId, uuid } from '../fields.js';
import { acceptedPasskeysSchema, browserHash, webAuthnJson } from './claims.js';

/** A passkey of a customer, as their account page shows it. */
export const customerPasskeySchema = z
  .strictObject({
    id: passkeyId.describe('The passkey'),
    name: z.string().describe("At first that of the passkey's provider, if it is known"),
    synced: z.boolean().describe('Whether the provider may copy it to other devices'),
    createdAt: instant.describe('When it was added'),
    lastUsedAt: instant.optional().describe('Absent before its first sign-in'),
  })
  .meta({ id: 'CustomerPasskey' });
export type CustomerPasskey = z.infer<typeof customerPasskeySchema>;

const heldCredentialSchema = z
  .strictObject({
    id: z.string().describe('The credential'),
    credentialType: z
      .strictObject({ name: credentialTypeName.describe('For programs'), display: z.string().describe('For people') })
      .describe('Its type'),
    state: z.enum(['live', 'suspended', 'expired']).describe('Whether it signs in'),
    issuedAt: instant.describe('When the customer first held it'),
    expiresAt: instant.optional().describe('When it expires, if it does'),
    renews: z
      .boolean()
      .describe('Whether sign-ins renew it: those in the time before `expiresAt` that the organization has chosen'),
  })
  .meta({ id: 'HeldCredential' });

/** What the account page shows of a customer: no name and no address, since there is none. */
export const customerAccountSchema = z
  .strictObject({
    credentials: z.array(heldCredentialSchema).describe('The credentials that the customer holds'),
    passkeys: z.array(customerPasskeySchema).describe('Oldest first; each signs in with every credential'),
    mayAddPasskey: z.boolean().describe('Whether the limit of the credential type allows another one'),
  })
  .meta({ id: 'CustomerAccount' });
export type CustomerAccount = z.infer<typeof customerAccountSchema>;

/**
 * Requests of an account page that is signed in. The gateway has found the session, and the passkey is the one that
 * signed in: once it is removed or replaced, the request is refused, whether or not the session has ended already.
 */
const signedIn = { subject: uuid, passkey: passkeyId.describe('The passkey that signed in') };

export const getCustomerAccount = query({
  service: 'issuance',
  name: 'get-customer-account',
  callers: ['gateway'],
  request: z.strictObject(signedIn),
  reply: customerAccountSchema,
  errors: ['account_session_ended'],
});

const addition = {
  ...signedIn,
  browser: browserHash,
  relyingParty: relyingPartySchema.optional(),
};
const acceptedPasskeys = acceptedPasskeysSchema.describe('For the browser: the passkeys that sign in now');

export const beginCustomerPasskey = command({
  service: 'issuance',
  name: 'begin-customer-passkey',
  callers: ['gateway'],
  request: z.strictObject({ ...addition, organizationName: z.string() }),
  reply: z.strictObject({ options: webAuthnJson }),
  errors: ['account_session_ended', 'invalid_state'],
});

export const addCustomerPasskey = command({
  service: 'issuance',
  name: 'add-customer-passkey',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ ...addition, response: webAuthnJson }),
  reply: z.strictObject({ passkey: customerPasskeySchema, acceptedPasskeys }),
  errors: ['account_session_ended', 'invalid_state', 'ceremony_expired', 'passkey_invalid'],
});

export const renameCustomerPasskey = command({
  service: 'issuance',
  name: 'rename-customer-passkey',
  callers: ['gateway'],
  request: z.strictObject({ ...signedIn, renamed: passkeyId, name: passkeyName }),
  reply: z.strictObject({ passkey: customerPasskeySchema }),
  errors: ['account_session_ended', 'unknown_passkey'],
});

/** Never the last one. What began with it ends, the session of this page included. */
export const removeCustomerPasskey = command({
  service: 'issuance',
  name: 'remove-customer-passkey',
  callers: ['gateway'],
  visibleIn: 'subjects',
  request: z.strictObject({ ...signedIn, removed: passkeyId, relyingParty: relyingPartySchema.optional() }),
  reply: z.strictObject({ acceptedPasskeys }),
  errors: ['account_session_ended', 'unknown_passkey', 'invalid_state'],
});

/** Whether a customer exists, and is one of the calling app. Auth sends it before it shows or ends their sessions. */
export const requireCustomer = query({
  service: 'issuance',
  name: 'require-customer',
  callers: ['auth'],
  request: z.strictObject({ subject: uuid }),
  reply: z.strictObject({}),
  errors: ['unknown_subject'],
});

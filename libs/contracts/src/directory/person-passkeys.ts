import { z } from 'zod';
import { command, idempotentCommand, query } from '../contract.js';
import { uuid } from '../fields.js';
import { webAuthnJson } from '../issuance/claims.js';
import { passkeyName, passkeySchema } from './person-fields.js';
import { relyingPartySchema } from './rp-id.js';

const person = uuid.describe('The person');
const passkey = uuid.describe('The passkey');

/** All passkeys of a person, oldest first; there are twenty at most. */
export const listPersonPasskeys = query({
  service: 'directory',
  name: 'list-person-passkeys',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person }),
  reply: z.strictObject({ items: z.array(passkeySchema).describe('Oldest first') }).meta({ id: 'UserPasskeys' }),
  errors: ['unknown_user'],
});

export const renamePersonPasskey = idempotentCommand({
  service: 'directory',
  name: 'rename-person-passkey',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, passkey, name: passkeyName }),
  reply: z.strictObject({ passkey: passkeySchema }),
  errors: ['unknown_user', 'unknown_passkey', 'insufficient_role'],
});

/** Never the last one of an active person, who could not sign in any more: a recovery replaces it. */
export const removePersonPasskey = idempotentCommand({
  service: 'directory',
  name: 'remove-person-passkey',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ person, passkey }),
  reply: z.strictObject({}),
  errors: ['unknown_user', 'unknown_passkey', 'insufficient_role', 'invalid_state'],
});

/** Options for a further passkey of the caller, a person. They are bound to the person. */
export const beginPasskeyAddition = command({
  service: 'directory',
  name: 'begin-passkey-addition',
  callers: ['gateway'],
  request: z.strictObject({
    organizationName: z.string(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ options: webAuthnJson }),
  errors: ['unknown_user', 'invalid_state'],
});

export const completePasskeyAddition = idempotentCommand({
  service: 'directory',
  name: 'complete-passkey-addition',
  callers: ['gateway'],
  request: z.strictObject({
    response: webAuthnJson,
    name: passkeyName.optional(),
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.strictObject({ passkey: passkeySchema }),
  errors: ['unknown_user', 'invalid_state', 'ceremony_expired', 'passkey_invalid'],
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { clientId, uuid } from '../fields.js';
import { webAuthnJson } from '../issuance/claims.js';
import { roleNames } from '../roles.js';
import { personDenialReasons } from './person-denials.js';
import { relyingPartySchema, rpId } from './rp-id.js';

/** A passkey that may be on several devices, or whose provider stopped counting, is accepted nevertheless. */
export const counterWentBack = z.literal(true).optional().describe('The signature counter of the passkey went back');

/** Then no other organization has it, and neither customers nor people sign in with it. */
export const removedPasskey = z
  .literal(true)
  .optional()
  .describe('The organization has created the passkey and no longer stores it: the browser may hide it');

/** Options of a person's sign-in ceremony, bound to one interaction, valid for ten minutes and for one response. */
export const beginPersonSignIn = command({
  service: 'directory',
  name: 'begin-person-sign-in',
  callers: ['auth'],
  request: z.strictObject({ interaction: z.string().max(128), relyingParty: relyingPartySchema.optional() }),
  reply: z.strictObject({ options: webAuthnJson, earlierRpId: rpId.optional() }),
});

/** Verifies an assertion (with user verification) and whether the person may sign in to the app. */
export const completePersonSignIn = command({
  service: 'directory',
  name: 'complete-person-sign-in',
  callers: ['auth'],
  request: z.strictObject({
    interaction: z.string().max(128),
    clientId,
    response: webAuthnJson,
    relyingParty: relyingPartySchema.optional(),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('signed_in'),
      person: uuid,
      version: z.int().describe('Version of the person at the sign-in'),
      deviceBound: z.boolean().describe('Whether the passkey is bound to its device'),
      counterWentBack,
    }),
    z.strictObject({
      outcome: z.literal('refused'),
      reason: z.enum(personDenialReasons),
      person: uuid.optional(),
      removed: removedPasskey,
    }),
  ]),
  errors: ['ceremony_expired', 'passkey_invalid'],
});

const groupNames = z.array(z.string()).describe('Names of the groups of the person, sorted');

/**
 * What a person may do in an app, which auth queries whenever it makes a statement about them (userinfo, refresh,
 * silent sign-in, person token). `unknown`: removed, or never existed. `not_assigned`: neither the person nor one of
 * their groups is assigned to the app, or the assignment has ended. To the organization's hub every active person is
 * assigned.
 */
export const personAccess = query({
  service: 'directory',
  name: 'person-access',
  callers: ['auth'],
  request: z.strictObject({ person: uuid, clientId }),
  reply: z.discriminatedUnion('state', [
    z.strictObject({
      state: z.literal('assigned'),
      email: z.string(),
      name: z.string(),
      groups: groupNames,
      roles: z.array(z.enum(roleNames)),
      version: z.int().describe('Version of the person'),
      since: z.int().describe('Sign-ins at an earlier version of the person are invalid'),
    }),
    z.strictObject({ state: z.enum(['deactivated', 'not_assigned', 'unknown']) }),
  ]),
});

/** Which of these people may sign in to the app: after an assignment of a group has ended, auth revokes the others. */
export const peopleWithAccess = query({
  service: 'directory',
  name: 'people-with-access',
  callers: ['auth'],
  request: z.strictObject({ clientId, people: z.array(uuid).max(1000) }),
  reply: z.strictObject({ people: z.array(uuid) }),
});

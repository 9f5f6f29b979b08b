import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';
import { customerSessionSchema, sessionId } from './account.js';

/** A browser in which a person is signed in, or an app that stays signed in without one. */
const personSessionSchema = customerSessionSchema
  .omit({ passkey: true })
  .extend({ signedInAt: instant.describe('When the person signed in there') })
  .meta({ id: 'PersonSession' });
export type PersonSession = z.infer<typeof personSessionSchema>;

/** Of the person who sends the request. */
export const listPersonSessions = query({
  service: 'auth',
  name: 'list-person-sessions',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: z
    .strictObject({ items: z.array(personSessionSchema).describe('Newest first, a hundred at most') })
    .meta({ id: 'PersonSessions' }),
  errors: ['unknown_user'],
});

/** One session of the person who sends the request, or all of them. */
export const endPersonSessions = command({
  service: 'auth',
  name: 'end-person-sessions',
  callers: ['gateway'],
  request: z.strictObject({ session: sessionId.optional() }),
  reply: z.strictObject({ changed: z.int().describe('How many have ended') }),
  errors: ['unknown_user'],
});

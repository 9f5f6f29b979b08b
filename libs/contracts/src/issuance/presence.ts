import { z } from 'zod';
import { command, query } from '../contract.js';

/** A proof of presence as an app's backend relays it. One provider, one member that holds what its widget gave. */
export const presenceSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('altcha').describe('The built-in proof of work'),
      payload: z.string().min(1).max(8192).describe('What the widget put into the form field `altcha`'),
    }),
    z.strictObject({
      type: z.literal('turnstile').describe('Cloudflare Turnstile'),
      token: z.string().min(1).max(2048).describe('What the widget put into the form field `cf-turnstile-response`'),
    }),
  ])
  .meta({ id: 'Presence' });
export type Presence = z.infer<typeof presenceSchema>;

/** What the ALTCHA widget solves, as that library writes it. */
export const challengeSchema = z
  .strictObject({
    parameters: z
      .record(z.string(), z.json())
      .describe('What is to be found, for whom, and until when (`expiresAt`, in Unix seconds)'),
    signature: z.string().describe('Over the parameters: a changed challenge proves nothing'),
  })
  .meta({ id: 'PresenceChallenge' });
export type PresenceChallenge = z.infer<typeof challengeSchema>;

/** The challenge for the ALTCHA widget: bound to organization, app and purpose, for ten minutes. */
export const presenceChallenge = query({
  service: 'issuance',
  name: 'presence-challenge',
  callers: ['gateway'],
  request: z.strictObject({
    clientId: z.string().max(64),
    origin: z.string().max(300).optional().describe('Origin of the requesting page'),
  }),
  reply: z.strictObject({
    challenge: challengeSchema,
    allowedOrigin: z.string().optional().describe('The requesting origin, when it belongs to the app (CORS)'),
  }),
  errors: ['unknown_app'],
});

/** The same question without a challenge, for the preflight of a browser. */
export const presenceOrigin = query({
  service: 'issuance',
  name: 'presence-origin',
  callers: ['gateway'],
  request: presenceChallenge.request,
  reply: presenceChallenge.reply.omit({ challenge: true }),
  errors: ['unknown_app'],
});

export const presencePolicySchema = z.strictObject({
  policy: z.enum(['optional', 'required']).describe('Whether an offer without a proof is refused'),
  turnstile: z.boolean().describe('Whether the organization has a Turnstile secret here'),
});
export type PresencePolicy = z.infer<typeof presencePolicySchema>;

export const getPresencePolicy = query({
  service: 'issuance',
  name: 'get-presence-policy',
  callers: ['operator'],
  request: z.strictObject({}),
  reply: presencePolicySchema,
  errors: ['unknown_organization'],
});
/** Changes what is given and leaves the rest. The secret is stored encrypted and never comes out again. */
export const setPresencePolicy = command({
  service: 'issuance',
  name: 'set-presence-policy',
  callers: ['operator'],
  request: z.strictObject({
    policy: z.enum(['optional', 'required']).optional(),
    turnstileSecret: z.string().min(1).max(200).nullable().optional().describe('Null removes it'),
  }),
  reply: presencePolicySchema,
  errors: ['unknown_organization'],
});

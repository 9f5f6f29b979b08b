import { z } from 'zod';
import { command, query } from '../contract.js';

/** A presence proof as an app's backend forwards it, in the form of its provider. */
export const presenceSchema = z
  .discriminatedUnion('type', [
    z.strictObject({
      type: z.literal('altcha').describe('The built-in proof of work'),
      payload: z.string().min(1).max(8192).describe('Value of the form field `altcha`, which the widget sets'),
    }),
    z.strictObject({
      type: z.literal('turnstile').describe('Cloudflare Turnstile'),
      token: z
        .string()
        .min(1)
        .max(2048)
        .describe('Value of the form field `cf-turnstile-response`, which the widget sets'),
    }),
  ])
  .meta({ id: 'Presence' });
export type Presence = z.infer<typeof presenceSchema>;

/** A challenge for the ALTCHA widget, in the form of that library. */
export const challengeSchema = z
  .strictObject({
    parameters: z
      .record(z.string(), z.json())
      .describe('Parameters of the proof of work, its binding, and its expiration (`expiresAt`, in Unix seconds)'),
    signature: z.string().describe('Signature of the parameters: a changed challenge is not accepted'),
  })
  .meta({ id: 'PresenceChallenge' });
export type PresenceChallenge = z.infer<typeof challengeSchema>;

/** A challenge for the ALTCHA widget, bound to organization, app and purpose, valid for ten minutes. */
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

/** The same query without a challenge, for the CORS preflight of a browser. */
export const presenceOrigin = query({
  service: 'issuance',
  name: 'presence-origin',
  callers: ['gateway'],
  request: presenceChallenge.request,
  reply: presenceChallenge.reply.omit({ challenge: true }),
  errors: ['unknown_app'],
});

const presencePolicySchema = z
  .strictObject({
    policy: z.enum(['optional', 'required']).describe('Whether an offer without a proof is refused'),
    turnstile: z.boolean().describe('Whether the organization has a Turnstile secret here'),
  })
  .meta({ id: 'PresencePolicy' });
export type PresencePolicy = z.infer<typeof presencePolicySchema>;

export const getPresencePolicy = query({
  service: 'issuance',
  name: 'get-presence-policy',
  callers: ['gateway', 'operator'],
  request: z.strictObject({}),
  reply: presencePolicySchema,
  errors: ['unknown_organization'],
});
/** Changes only the given members. The secret is stored encrypted and never returned. */
export const setPresencePolicy = command({
  service: 'issuance',
  name: 'set-presence-policy',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    policy: z.enum(['optional', 'required']).optional().describe('Whether an offer without a proof is refused'),
    turnstileSecret: z.string().min(1).max(200).nullable().optional().describe('Null removes it'),
  }),
  reply: presencePolicySchema,
  errors: ['unknown_organization'],
});

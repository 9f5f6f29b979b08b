import { z } from 'zod';
import { command, query } from './contract.js';

/** A proof of presence as an app's backend relays it. One provider, one member that holds what its widget gave. */
export const presenceSchema = z
  .discriminatedUnion('type', [
    z.strictObject({ type: z.literal('altcha').describe('The built-in proof of work'), payload: z.string().min(1).max(8192).describe('What the widget put into the form field `altcha`') }),
    z.strictObject({ type: z.literal('turnstile').describe('Cloudflare Turnstile'), token: z.string().min(1).max(2048).describe('What the widget put into the form field `cf-turnstile-response`') }),
  ])
  .meta({ id: 'Presence' });
export type Presence = z.infer<typeof presenceSchema>;

/** What the ALTCHA widget asks for, as that library writes it. Bound to organization, app and purpose, for ten minutes. */
export const presenceChallenge = query({
  service: 'issuance', name: 'presence-challenge', callers: ['gateway'],
  request: z.strictObject({ clientId: z.string().max(64), origin: z.string().max(300).optional().describe('Of the page that asks') }),
  reply: z.strictObject({
    challenge: z.record(z.string(), z.json()),
    allowedOrigin: z.string().optional().describe('The origin that asked, when it is one of the app (CORS)'),
  }),
  errors: ['unknown_app'],
});

export const presencePolicySchema = z.strictObject({
  policy: z.enum(['optional', 'required']).describe('Whether an offer without a proof is refused'),
  turnstile: z.boolean().describe('Whether the organization has a Turnstile secret here'),
});
export type PresencePolicy = z.infer<typeof presencePolicySchema>;

export const getPresencePolicy = query({
  service: 'issuance', name: 'get-presence-policy', callers: ['operator'],
  request: z.strictObject({}), reply: presencePolicySchema, errors: ['unknown_organization'],
});
/** Changes what is given and leaves the rest. The secret is stored encrypted and never comes out again. */
export const setPresencePolicy = command({
  service: 'issuance', name: 'set-presence-policy', callers: ['operator'],
  request: z.strictObject({
    policy: z.enum(['optional', 'required']).optional(),
    turnstileSecret: z.string().min(1).max(200).nullable().optional().describe('Null takes it away'),
  }),
  reply: presencePolicySchema, errors: ['unknown_organization'],
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { uuid } from '../fields.js';
import { sessionHash } from './session-hash.js';

/**
 * The client ID of an organization's hub. It is derived, so that gateway and auth know it without configuration; no
 * other app can have it, since directory generates all other ids with the prefix `app_`.
 */
export function hubClientId(shortId: string): string {
  return `hub_${shortId}`;
}

/** Paths of the hub, below the base URL. */
export const hubPaths = {
  page: '/hub/{shortId}',
  signIn: '/hub/{shortId}/sign-in',
  callback: '/hub/{shortId}/callback',
  signOut: '/hub/{shortId}/sign-out',
} as const;

/** The only redirect URI of an organization's hub. */
export function hubRedirectUri(baseUrl: string, shortId: string): string {
  return baseUrl + hubPaths.callback.replace('{shortId}', shortId);
}

const secret = z.string().max(512);

/**
 * Exchanges the code of a sign-in to the hub for a session. Only the gateway can: the client of the hub has no secret,
 * so the token endpoint refuses it.
 */
export const createHubSession = command({
  service: 'auth',
  name: 'create-hub-session',
  callers: ['gateway'],
  request: z.strictObject({
    code: secret,
    codeVerifier: secret,
    nonce: secret,
    session: sessionHash.describe('Of the new session'),
    replaces: sessionHash.optional().describe('The earlier session of this browser, which ends'),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({ outcome: z.literal('signed_in'), expiresInSeconds: z.int().min(1) }),
    z.strictObject({ outcome: z.literal('refused') }),
  ]),
});

/**
 * A person token for a hub session. Each exchange asks directory what the person may do, so a session of somebody who
 * was deactivated has ended here before any event arrives.
 */
export const exchangeHubSession = query({
  service: 'auth',
  name: 'exchange-hub-session',
  callers: ['gateway'],
  request: z.strictObject({ session: sessionHash }),
  reply: z.discriminatedUnion('state', [
    z.strictObject({ state: z.literal('active'), token: z.string() }),
    z.strictObject({ state: z.literal('ended') }),
  ]),
});

/** Ends a hub session and the session at the issuer from which it results, with the sign-ins to all other apps. */
export const endHubSession = command({
  service: 'auth',
  name: 'end-hub-session',
  callers: ['gateway'],
  request: z.strictObject({ session: sessionHash }),
  reply: z.strictObject({ ended: z.boolean().describe('False when there was no such session') }),
});

/**
 * Claims of a person token (RFC 9068). Auth writes it for the gateway, which verifies it and never gives it away: a
 * token of this form in an Authorization header is refused.
 */
export const personTokenClaimsSchema = z.strictObject({
  iss: z.string(),
  aud: z.string(),
  sub: uuid.describe('The person'),
  client_id: z.string().describe('The hub'),
  scope: z.string().describe('Operations of the roles'),
  jti: z.string(),
  iat: z.int(),
  exp: z.int(),
  org: z.string().describe('shortId'),
  person_version: z.int().describe('Version of the person when the token was issued'),
  auth_time: z.int().describe('When the person signed in, in seconds since 1970'),
  acr: z.string().optional(),
  amr: z.array(z.string()).optional(),
  api_version: z.string(),
});
export type PersonTokenClaims = z.infer<typeof personTokenClaimsSchema>;

/** Long enough for a gateway whose clock differs a little; the gateway uses a token for less than a second. */
export const personTokenLifetimeSeconds = 60;

/** Changes that widen rights need a sign-in of at most this age (RFC 9470). */
export const stepUpMaxAgeSeconds = 600;

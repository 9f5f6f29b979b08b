import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';

/** Public keys of the platform's access tokens, for the gateway alone to verify with. */
export const platformKeys = query({
  service: 'auth',
  name: 'platform-keys',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: z.strictObject({ keys: z.array(z.record(z.string(), z.json())) }),
});

export const issuerKeySchema = z.strictObject({
  kid: z.string(),
  alg: z.string(),
  state: z
    .enum(['next', 'signing', 'verifying'])
    .describe(
      '`next`: published, and signs from `signsFrom` on. `verifying`: no longer signs, and is published ' +
        'until its last token has expired',
    ),
  signsFrom: instant,
});
export type IssuerKey = z.infer<typeof issuerKeySchema>;

/** The published keys of an organization's issuer. */
export const listKeys = query({
  service: 'auth',
  name: 'list-keys',
  callers: ['operator'],
  request: z.strictObject({ shortId: z.string() }),
  reply: z.strictObject({ keys: z.array(issuerKeySchema) }),
  errors: ['unknown_organization'],
});

/** Begins the rotation of an organization's signing keys: the new ones are published now and sign after the overlap. */
export const rotateKeys = command({
  service: 'auth',
  name: 'rotate-keys',
  callers: ['operator'],
  request: z.strictObject({
    shortId: z.string(),
    overlapSeconds: z.int().min(0).default(3600),
    retire: z.boolean().default(false).describe('End the old keys at once: for a key that leaked'),
  }),
  reply: z.strictObject({ keys: z.array(issuerKeySchema) }),
  errors: ['unknown_organization'],
});

/** Claims of an access token beyond RFC 9068's: written by auth, read by the gateway. */
export const accessTokenClaimsSchema = z.object({
  iss: z.string(),
  aud: z.string(),
  sub: z.string(),
  client_id: z.string(),
  scope: z.string(),
  jti: z.string(),
  iat: z.int(),
  exp: z.int(),
  org: z.string().describe('shortId of the app'),
  client_name: z.string(),
  client_version: z.int().describe('Version of the app record when the token was made'),
  secret_id: z.string().optional().describe('Which of the two live secrets obtained it'),
  api_version: z.string().describe('The date that this app pinned'),
});
export type AccessTokenClaims = z.infer<typeof accessTokenClaimsSchema>;

/** `aud` of platform access tokens under this base URL. */
export function apiAudience(baseUrl: string): string {
  return `${baseUrl}/api`;
}

/** Seconds that a platform access token lives. */
export const accessTokenLifetimeSeconds = 600;

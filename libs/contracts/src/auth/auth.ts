import { z } from 'zod';
import { appRateLimitsSchema } from '../app-rate-limits.js';
import { query } from '../contract.js';

/** Public keys with which the gateway verifies the platform's access tokens. */
export const platformKeys = query({
  service: 'auth',
  name: 'platform-keys',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: z.strictObject({ keys: z.array(z.record(z.string(), z.json())) }),
});

/** Claims of an access token, with those beyond RFC 9068. Auth writes them, and the gateway reads them. */
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
  client_version: z.int().describe('Version of the app record when the token was issued'),
  secret_id: z.string().optional().describe('The client secret or key with which it was requested'),
  cnf: z.object({ jkt: z.string() }).optional().describe('The key to which the token is bound (RFC 9449)'),
  api_version: z.string().describe('The API version that the app pinned'),
  rate_limits: z
    .object(appRateLimitsSchema.pick({ read: true, write: true }).shape)
    .optional()
    .describe('Quotas that an operator has set for the app'),
});
export type AccessTokenClaims = z.infer<typeof accessTokenClaimsSchema>;

/** `aud` of the platform's access tokens. */
export function apiAudience(baseUrl: string): string {
  return `${baseUrl}/api`;
}

export const accessTokenLifetimeSeconds = 600;

import { z } from 'zod';
import { query } from '../contract.js';

/** Security event tokens that one request signs at most. */
export const maxSignedEvents = 100;

/** Claims of a security event token (RFC 8417) that signals decides. It has no `sub` and no `exp` (SSF 1.0). */
const securityEventClaimsSchema = z.strictObject({
  jti: z.string().max(64),
  aud: z.string().max(200).describe('The receiver: its client ID'),
  txn: z.string().max(64).optional().describe('Id of the audit record of the change (RFC 8417 §2.2)'),
  toe: z.int().optional().describe('When it happened, in seconds since 1970'),
  sub_id: z.record(z.string(), z.json()).describe('The subject (RFC 9493)'),
  events: z
    .record(z.url().max(200), z.record(z.string(), z.json()))
    .refine((events) => Object.keys(events).length === 1, 'must have one event'),
});
export type SecurityEventClaims = z.output<typeof securityEventClaimsSchema>;

/**
 * Signs security events with the RS256 key of the organization's issuer, so that no other service has one. Auth sets
 * `iss`, `iat` and the type `secevent+jwt`: what it signs can never pass for an ID token or an access token.
 */
export const signSecurityEvents = query({
  service: 'auth',
  name: 'sign-security-events',
  callers: ['signals'],
  timeoutMs: 5000,
  request: z.strictObject({ events: z.array(securityEventClaimsSchema).min(1).max(maxSignedEvents) }),
  reply: z.strictObject({ tokens: z.array(z.string()).describe('In the order of the events') }),
});

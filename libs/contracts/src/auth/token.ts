import { z } from 'zod';
import { query } from '../contract.js';
import { clientIdPattern } from '../fields.js';

/** More than auth grants (scope-rule.ts), so that its own error says so. */
export const maxRequestedScopeLength = 2000;

/**
 * An access token for the one form of request that nearly all programs send: client credentials (RFC 6749 §4.4) with a
 * secret in HTTP Basic. oidc-provider answers every other form (docs/adr/0056-token-endpoint-over-the-bus.md).
 *
 * It is sent to another replica when one does not reply: the token that nobody received is useless, and both attempts
 * have the same audit record, by its id.
 */
export const issueToken = query({
  service: 'auth',
  name: 'issue-token',
  callers: ['gateway'],
  // Half of it for each of two replicas, which is more than auth waits for audit.
  timeoutMs: 5000,
  request: z.strictObject({
    clientId: z.string().regex(clientIdPattern, 'must be a client ID'),
    secret: z
      .string()
      .regex(/^[\x21-\x7e]{1,512}$/, 'must have 1 to 512 visible ASCII characters')
      .describe('Never logged, and never part of a subject or a trace'),
    scope: z.string().max(maxRequestedScopeLength).optional().describe('As requested, by RFC 6749 §3.3'),
    network: z.string().max(64).describe('Of the client: wrong secrets are counted by it'),
  }),
  reply: z.discriminatedUnion('outcome', [
    z.strictObject({
      outcome: z.literal('issued'),
      org: z.string(),
      accessToken: z.string(),
      expiresInSeconds: z.int(),
      scope: z.string(),
    }),
    z.strictObject({
      outcome: z.literal('refused'),
      org: z.string().optional().describe('Of a client that has authenticated'),
      status: z.union([z.literal(400), z.literal(401), z.literal(429)]),
      error: z.enum(['invalid_client', 'invalid_scope', 'temporarily_unavailable']).describe('RFC 6749 §5.2'),
      description: z.string(),
      headers: z
        .strictObject({
          ratelimit: z.string().optional(),
          'ratelimit-policy': z.string().optional(),
          'retry-after': z.string().optional(),
        })
        .describe('With 429'),
    }),
    z.strictObject({ outcome: z.literal('proof_required') }).describe('The app takes bound tokens only (RFC 9449)'),
  ]),
});

import { z } from 'zod';
import { command } from '../contract.js';

/** Longer than the gateway accepts any proof. */
const maxSeconds = 300;

/**
 * Accepts a DPoP proof of a request to the API once, on all gateways. The gateway sends it only after it has verified
 * token and proof, within the rate limit of the app: nobody else can make auth store anything.
 */
export const useProof = command({
  service: 'auth',
  name: 'use-proof',
  callers: ['gateway'],
  timeoutMs: 2000,
  request: z.strictObject({
    proof: z
      .string()
      .regex(/^[A-Za-z0-9_-]{43}$/, 'must be a SHA-256 hash in base64url')
      .describe('SHA-256 of the thumbprint of the key and the jti'),
    seconds: z.int().min(1).max(maxSeconds).describe('For how long it could be used again'),
  }),
  reply: z.strictObject({ first: z.boolean().describe('False for a proof that was used before') }),
});

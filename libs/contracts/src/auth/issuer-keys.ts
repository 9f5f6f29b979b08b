import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';

const issuerKeySchema = z
  .strictObject({
    kid: z.string().describe('Its id, which the header of a token names'),
    alg: z.string().describe('Signature algorithm'),
    state: z
      .enum(['next', 'signing', 'verifying'])
      .describe(
        '`next`: published, and signs from `signsFrom` on. `verifying`: no longer signs, and is published ' +
          'until its last token has expired',
      ),
    signsFrom: instant.describe('When it begins to sign, or began'),
  })
  .meta({ id: 'IssuerKey' });
export type IssuerKey = z.infer<typeof issuerKeySchema>;

/** The published keys of an organization's issuer. */
export const listKeys = query({
  service: 'auth',
  name: 'list-keys',
  callers: ['operator'],
  request: z.strictObject({ shortId: z.string().optional().describe("Absent: the platform's keys") }),
  reply: z.strictObject({ keys: z.array(issuerKeySchema) }),
  errors: ['unknown_organization'],
});

/** Begins a rotation of an issuer's signing keys: new ones are published now and sign after the overlap. */
export const rotateKeys = command({
  service: 'auth',
  name: 'rotate-keys',
  callers: ['operator'],
  request: z.strictObject({
    shortId: z.string().optional().describe("Absent: the platform's keys"),
    overlapSeconds: z.int().min(0).default(3600),
    retire: z.boolean().default(false).describe('Stop using the old keys at once: for a leaked key'),
  }),
  reply: z.strictObject({ keys: z.array(issuerKeySchema) }),
  errors: ['unknown_organization'],
});

const keysReply = z
  .strictObject({ keys: z.array(issuerKeySchema).describe('The published keys') })
  .meta({ id: 'IssuerKeys' });

/** The published keys of the caller's organization. */
export const adminListKeys = query({
  service: 'auth',
  name: 'admin-list-keys',
  callers: ['gateway'],
  request: z.strictObject({}),
  reply: keysReply,
});

/** Shorter, and a client that stores the keys would meet a signature that it cannot verify yet. */
const minOverlapSeconds = 600;

/**
 * As `rotateKeys`, for people. Old keys are never retired, and one rotation ends before the next: new keys are costly
 * to generate.
 */
export const adminRotateKeys = command({
  service: 'auth',
  name: 'admin-rotate-keys',
  callers: ['gateway'],
  request: z.strictObject({
    overlapSeconds: z
      .int()
      .min(minOverlapSeconds)
      .max(604_800)
      .default(3600)
      .describe('Time between publication and first signature, in which clients load the new keys'),
  }),
  reply: keysReply,
  errors: ['invalid_state'],
});

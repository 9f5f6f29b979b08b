import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { clientId, instant, pageLimit, uuid } from '../fields.js';
import { readableText } from '../readable-text.js';

/** A request that nobody has decided after two weeks expires. */
export const accessRequestLifetimeSeconds = 1_209_600;
/** Requests of one person within 24 hours. */
export const maxAccessRequestsPerDay = 20;

const minSeconds = 300;
const maxSeconds = 7_776_000;
const duration = z
  .int()
  .min(minSeconds, `must be ${minSeconds} to ${maxSeconds} seconds (90 days)`)
  .max(maxSeconds, `must be ${minSeconds} to ${maxSeconds} seconds (90 days)`);

/** `cancelled`: its app was deleted before anybody decided it. */
export const accessRequestStatuses = ['pending', 'approved', 'denied', 'withdrawn', 'expired', 'cancelled'] as const;
export type AccessRequestStatus = (typeof accessRequestStatuses)[number];

const newAccessRequestSchema = z
  .strictObject({
    app: clientId.describe('Client ID of the app'),
    reason: readableText(500).describe('Why; approvers read it'),
    durationSeconds: duration.describe('For how long, from the approval on'),
  })
  .meta({ id: 'NewAccessRequest' });
const approvalSchema = z
  .strictObject({
    durationSeconds: duration.optional().describe('A shorter time than requested; the requested one when absent'),
  })
  .meta({ id: 'Approval' });
const denialSchema = z
  .strictObject({ reason: readableText(500).describe('Why; the person reads it') })
  .meta({ id: 'Denial' });

const accessRequestSchema = z
  .strictObject({
    id: uuid.describe('The access request'),
    user: uuid.describe('Who requests access'),
    app: z.string().describe('Client ID of the app'),
    reason: z.string().describe('Why'),
    status: z
      .enum(accessRequestStatuses)
      .describe('What has become of it; `cancelled`: its app was deleted before anybody decided it'),
    durationSeconds: z.int().describe('For how long the person requests access'),
    createdAt: instant.describe('When it was made'),
    expiresAt: instant.describe('When it expires unless somebody decides it'),
    grantedSeconds: z.int().optional().describe('For how long it was approved'),
    assignment: uuid.optional().describe('The assignment that the approval created, until it ends'),
    decidedAt: instant.optional().describe('When it was decided or withdrawn, or expired or was cancelled'),
    decidedBy: z
      .strictObject({
        type: z.enum(['person', 'app', 'operator']).describe('Kind of decider'),
        id: z
          .string()
          .optional()
          .describe('The person, or the client ID of the app; absent when the person was removed'),
      })
      .optional()
      .describe('Who approved or denied it'),
    decisionReason: z.string().optional().describe('Why it was denied'),
  })
  .meta({ id: 'AccessRequest' });
export type AccessRequest = z.infer<typeof accessRequestSchema>;

const accessRequestCursorSchema = z.strictObject({ createdAt: instant, id: uuid });
const page = { limit: pageLimit, after: accessRequestCursorSchema.optional() };
const pageReply = z.strictObject({ items: z.array(accessRequestSchema), next: accessRequestCursorSchema.optional() });
const reply = z.strictObject({ accessRequest: accessRequestSchema });
const id = uuid.describe('The access request');

/** Made by a person for themselves: a program has nobody to request for. */
export const createAccessRequest = idempotentCommand({
  service: 'directory',
  name: 'create-access-request',
  callers: ['gateway'],
  request: z.strictObject({ accessRequest: newAccessRequestSchema }),
  reply,
  errors: ['invalid_request', 'conflict', 'invalid_state', 'rate_limited', 'insufficient_scope'],
});
/** `mine`: those of the calling person. A page may have fewer items than its limit and still have a `next`. */
export const listAccessRequests = query({
  service: 'directory',
  name: 'list-access-requests',
  callers: ['gateway', 'operator'],
  request: z.strictObject({
    mine: z.boolean().optional(),
    status: z.enum(accessRequestStatuses).optional().describe('Only requests with this status'),
    user: uuid.optional().describe('Only requests of this person'),
    app: clientId.optional(),
    ...page,
  }),
  reply: pageReply,
  errors: ['unknown_organization'],
});
export const getAccessRequest = query({
  service: 'directory',
  name: 'get-access-request',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ id }),
  reply: accessRequestSchema,
  errors: ['unknown_access_request'],
});
export const approveAccessRequest = idempotentCommand({
  service: 'directory',
  name: 'approve-access-request',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ id, approval: approvalSchema }),
  reply,
  errors: ['unknown_access_request', 'own_request', 'invalid_state', 'invalid_request'],
});
export const denyAccessRequest = idempotentCommand({
  service: 'directory',
  name: 'deny-access-request',
  callers: ['gateway', 'operator'],
  request: z.strictObject({ id, denial: denialSchema }),
  reply,
  errors: ['unknown_access_request', 'own_request', 'invalid_state'],
});
export const withdrawAccessRequest = idempotentCommand({
  service: 'directory',
  name: 'withdraw-access-request',
  callers: ['gateway'],
  request: z.strictObject({ id }),
  reply,
  errors: ['unknown_access_request', 'invalid_state'],
});

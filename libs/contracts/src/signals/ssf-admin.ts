import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { clientId, instant, pageLimit, uuid } from '../fields.js';
import { makerSchema } from '../maker.js';
import { securityEvents, type SecurityEventName } from './security-events.js';
import { streamAuthorization, streamDescription, streamEndpointUrl, streamMethods } from './ssf.js';

const names = Object.keys(securityEvents) as [SecurityEventName, ...SecurityEventName[]];
const id = uuid.describe('The stream');
const events = z
  .array(z.enum(names, 'must be a name of docs/reference/security-events.md'))
  .min(1, 'must have at least one event; leave it out for all')
  .max(names.length)
  .transform((list) => [...new Set(list)].sort());
const defaultSubjects = z
  .enum(['ALL', 'NONE'])
  .describe('`ALL`: a stream is about every subject but those that its receiver removes; `NONE`: only those it adds');

const newStreamSchema = z
  .strictObject({
    receiver: clientId.describe('The receiver: client ID of an app of the kind `receiver`'),
    method: z.enum(streamMethods).describe('`push` (RFC 8935) or `poll` (RFC 8936)'),
    endpointUrl: streamEndpointUrl.optional().describe('Of `push`: the address that gets each token by POST'),
    authorization: streamAuthorization
      .optional()
      .describe('Of `push`: sent with each token as `Authorization`, and never returned'),
    events: events.optional().describe('What the stream carries; all that the receiver may get when absent'),
    description: streamDescription.optional().describe('What it is for'),
  })
  .refine(({ method, endpointUrl }) => (method === 'push') === (endpointUrl !== undefined), {
    path: ['endpointUrl'],
    message: 'is required for push, and has no effect for poll',
  })
  .meta({ id: 'NewManagedStream' });
export type NewManagedStream = z.output<typeof newStreamSchema>;

const streamChangesSchema = z
  .strictObject({
    endpointUrl: streamEndpointUrl
      .optional()
      .describe('Another scheme, host or port needs `authorization` as well, if it has one'),
    authorization: streamAuthorization.nullable().optional().describe('Null removes it'),
    events: events.nullable().optional().describe('Null removes the filter'),
    description: streamDescription.nullable().optional().describe('Null removes it'),
  })
  .refine((changes) => Object.keys(changes).length > 0, 'must have at least one member')
  .meta({ id: 'ManagedStreamChanges' });
export type ManagedStreamChanges = z.output<typeof streamChangesSchema>;

const streamSchema = z
  .strictObject({
    id,
    receiver: z.string().describe('The receiver: its client ID'),
    audience: z.enum(['customers', 'people']).describe('Whose changes it carries'),
    method: z.enum(streamMethods).describe('How its receiver gets tokens'),
    endpointUrl: z.string().optional().describe('Of `push`: where tokens are sent'),
    hasAuthorization: z.boolean().describe('Whether an `Authorization` is sent with each token'),
    events: z.array(z.enum(names)).optional().describe('What it carries; all that its receiver may get when absent'),
    description: z.string().optional().describe('What it is for'),
    defaultSubjects,
    subjects: z.int().describe('Subjects that its receiver has added, or removed'),
    state: z
      .enum(['enabled', 'paused', 'disabled', 'suspended'])
      .describe('`paused`: tokens are kept; `disabled`: there are none; `suspended`: the organization is suspended'),
    pausedBecause: z
      .enum(['receiver', 'administrator', 'maker', 'failures', 'inactivity'])
      .optional()
      .describe(
        'Of a paused or disabled one: who asked for it; `maker`: its receiver was disabled, or who made it may not ' +
          'manage Shared Signals any more; `failures`: nothing else for five days; `inactivity`: nobody has polled it',
      ),
    reason: z.string().optional().describe('Why, in the words of who changed it'),
    maker: makerSchema.optional().describe('Who is responsible for it'),
    createdAt: instant.describe('When it was created'),
    version: z.int().describe('Counts its changes'),
    waiting: z.int().describe('Tokens that the receiver has not got yet; 10,000 at most'),
    rejected: z.int().describe('Tokens that the receiver did not accept; 10,000 at most'),
    lastSuccessAt: instant.optional().describe('About when the receiver accepted a token last'),
    lastError: z
      .strictObject({
        at: instant.describe('When'),
        detail: z.string().describe('What happened'),
        attempts: z.int().describe('Failed attempts since the last success'),
      })
      .optional()
      .describe('Why the last attempt failed; absent when it succeeded'),
  })
  .meta({ id: 'ManagedStream' });
export type ManagedStream = z.output<typeof streamSchema>;

const tokenStatuses = ['pending', 'delivered', 'rejected'] as const;
const tokenSchema = z
  .strictObject({
    jti: z.string().describe('The token'),
    event: z.string().describe('URI of its event'),
    status: z
      .enum(tokenStatuses)
      .describe('`rejected`: the receiver did not accept it, and it is not sent again by itself'),
    createdAt: instant.describe('When the event came to the feed'),
    attempts: z.int().describe('Attempts to push it'),
    error: z
      .strictObject({
        err: z.string().describe('Code (RFC 8935 §2.4)'),
        description: z.string().optional().describe('Why'),
      })
      .optional()
      .describe('Of a rejected one: what the receiver said'),
  })
  .meta({ id: 'StreamToken' });
export type StreamToken = z.output<typeof tokenSchema>;
const tokenCursor = z.strictObject({ seq: z.int(), part: z.int() });

const transmitterSchema = z.strictObject({ defaultSubjects }).meta({ id: 'SsfTransmitter' });

export const resentTokensSchema = z
  .strictObject({ tokens: z.int().describe('How many are sent again') })
  .meta({ id: 'ResentTokens' });

const command = { service: 'signals', callers: ['gateway', 'operator'] } as const;
const errors = ['unknown_stream', 'unknown_organization'] as const;
const ifVersions = z.array(z.int()).max(20).optional();
const changed = z.strictObject({ stream: streamSchema, changed: z.boolean() });

export const listStreams = query({
  ...command,
  name: 'list-streams',
  request: z.strictObject({ receiver: clientId.optional() }),
  reply: z.strictObject({ items: z.array(streamSchema).describe('Oldest first') }).meta({ id: 'ManagedStreams' }),
  errors: ['unknown_organization'],
});
export const getStream = query({
  ...command,
  name: 'get-stream',
  request: z.strictObject({ id }),
  reply: streamSchema,
  errors,
});
export const createStream = idempotentCommand({
  ...command,
  name: 'create-stream',
  request: z.strictObject({ stream: newStreamSchema }),
  reply: z.strictObject({ stream: streamSchema }),
  errors: ['limit_reached', 'invalid_request', 'unknown_app', 'unknown_organization'],
});
export const updateStream = idempotentCommand({
  ...command,
  name: 'update-stream',
  request: z.strictObject({ id, changes: streamChangesSchema, ifVersions }),
  reply: changed,
  errors: [...errors, 'invalid_request', 'precondition_failed'],
});
export const pauseStream = idempotentCommand({
  ...command,
  name: 'pause-stream',
  request: z.strictObject({ id }),
  reply: changed,
  errors,
});
/** Also of one that waits after failures: the next attempt is made at once. */
export const resumeStream = idempotentCommand({
  ...command,
  name: 'resume-stream',
  request: z.strictObject({ id }),
  reply: changed,
  errors,
});
export const deleteStream = idempotentCommand({
  ...command,
  name: 'delete-stream',
  request: z.strictObject({ id, ifVersions }),
  reply: z.strictObject({}),
  errors: [...errors, 'precondition_failed'],
});
/** Tokens of a stream, newest first. */
export const listStreamTokens = query({
  ...command,
  name: 'list-stream-tokens',
  request: z.strictObject({
    id,
    status: z.enum(tokenStatuses).optional().describe('Only tokens with this status'),
    limit: pageLimit,
    after: tokenCursor.optional(),
  }),
  reply: z.strictObject({ items: z.array(tokenSchema), next: tokenCursor.optional() }),
  errors,
});
/** Sends rejected tokens again. */
export const resendStreamTokens = idempotentCommand({
  ...command,
  name: 'resend-stream-tokens',
  request: z.strictObject({ id, jti: z.string().max(64).optional().describe('Only this token') }),
  reply: resentTokensSchema,
  errors,
});
export const getTransmitterSettings = query({
  ...command,
  name: 'get-transmitter-settings',
  request: z.strictObject({}),
  reply: transmitterSchema,
  errors: ['unknown_organization'],
});
/** Of streams that are created from now on. */
export const updateTransmitterSettings = idempotentCommand({
  ...command,
  name: 'update-transmitter-settings',
  request: z.strictObject({ settings: transmitterSchema }),
  reply: z.strictObject({ settings: transmitterSchema, changed: z.boolean() }),
  errors: ['unknown_organization'],
});

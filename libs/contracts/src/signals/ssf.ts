import { z } from 'zod';
import { idempotentCommand, query } from '../contract.js';
import { uuid } from '../fields.js';
import { readableText } from '../readable-text.js';
import { headerValue, receiverUrl } from './receivers.js';

/** Streams that one receiver may have, and all of an organization. */
export const maxStreamsOfReceiver = 5;
export const maxStreamsOfOrganization = 50;
/** Subjects that a stream may name. */
export const maxStreamSubjects = 100_000;
/** A receiver may ask for a verification once in so many seconds. */
export const minVerificationIntervalSeconds = 30;
/** Security event tokens in one response to a poll. */
export const maxPolledEvents = 100;

/** Push (RFC 8935) and poll (RFC 8936). */
export const deliveryMethods = { push: 'urn:ietf:rfc:8935', poll: 'urn:ietf:rfc:8936' } as const;
export const streamMethods = ['push', 'poll'] as const;

/*
 * The names are those of SSF 1.0. Bodies are loose: a receiver may send members of later versions, and those that only
 * the transmitter sets, as long as their values are the present ones (SSF 1.0 §8.1.1.3).
 */
const streamId = uuid.describe('The stream');
const eventUris = z.array(z.string().max(500)).max(100);
const endpointUrl = receiverUrl('https://receiver.example/security-events');
export const streamEndpointUrl = endpointUrl;
export const streamAuthorization = headerValue;
export const streamDescription = readableText(200);
const delivery = z
  .discriminatedUnion('method', [
    z.looseObject({
      method: z.literal(deliveryMethods.push).describe('RFC 8935'),
      endpoint_url: endpointUrl.describe("The receiver's address, which gets each token by POST"),
      authorization_header: headerValue
        .optional()
        .describe('Sent with each token as `Authorization`, and never returned'),
    }),
    z.looseObject({
      method: z.literal(deliveryMethods.poll).describe('RFC 8936'),
      endpoint_url: z.string().max(2000).optional().describe('Set by the transmitter'),
    }),
  ])
  .describe('How tokens are delivered');

/** What a receiver decides about a stream, and what the transmitter does. */
const receiverMembers = {
  events_requested: eventUris
    .optional()
    .describe('All that the receiver may get when absent; unknown ones are ignored'),
  description: streamDescription.optional().describe('What it is for'),
};
const transmitterMembers = {
  iss: z.string().max(2000).optional().describe('Set by the transmitter'),
  aud: z
    .union([z.string().max(200), z.array(z.string().max(200)).max(10)])
    .optional()
    .describe('Set by the transmitter'),
  events_supported: eventUris.optional().describe('Set by the transmitter'),
  events_delivered: eventUris.optional().describe('Set by the transmitter'),
  min_verification_interval: z.int().optional().describe('Set by the transmitter'),
  inactivity_timeout: z.int().optional().describe('Set by the transmitter'),
};

export const newStreamSchema = z
  .looseObject({ ...receiverMembers, delivery: delivery.optional().describe('Poll when absent') })
  .meta({ id: 'NewSsfStream' });
export type NewStream = z.output<typeof newStreamSchema>;
export const streamChangesSchema = z
  .looseObject({ stream_id: streamId, ...receiverMembers, ...transmitterMembers, delivery: delivery.optional() })
  .meta({ id: 'SsfStreamChanges' });
export const streamReplacementSchema = z
  .looseObject({ stream_id: streamId, ...receiverMembers, ...transmitterMembers, delivery })
  .meta({ id: 'SsfStreamReplacement' });
export type StreamChanges = z.output<typeof streamChangesSchema>;

const streamSchema = z
  .strictObject({
    stream_id: streamId,
    iss: z.string().describe("The transmitter: the organization's issuer"),
    aud: z.string().describe('The receiver: its client ID, `aud` of each token'),
    events_supported: z.array(z.string()).describe('What receivers like this one can get'),
    events_requested: z.array(z.string()).optional().describe('What the receiver asks for; all when absent'),
    events_delivered: z.array(z.string()).describe('What the stream carries'),
    delivery: z
      .strictObject({
        method: z.enum(Object.values(deliveryMethods)).describe('RFC 8935 (push) or RFC 8936 (poll)'),
        endpoint_url: z.string().describe('Where tokens are sent, or where they are polled'),
      })
      .describe('How tokens are delivered'),
    description: z.string().optional().describe('What it is for'),
    min_verification_interval: z.int().describe('Seconds between two verifications'),
    inactivity_timeout: z
      .int()
      .optional()
      .describe('Of a stream that is polled: it is paused when nobody polls it for so many seconds'),
  })
  .meta({ id: 'SsfStream' });
export type SsfStream = z.output<typeof streamSchema>;
export const streamsSchema = z.array(streamSchema).meta({ id: 'SsfStreams' });

const streamStatuses = ['enabled', 'paused', 'disabled'] as const;
const reason = readableText(200);
const streamStatusSchema = z
  .strictObject({
    stream_id: streamId,
    status: z.enum(streamStatuses).describe('`paused`: tokens are kept and sent later; `disabled`: there are none'),
    reason: z.string().optional().describe('Why, in the words of who changed it'),
  })
  .meta({ id: 'SsfStreamStatus' });
export type StreamStatus = z.output<typeof streamStatusSchema>;
export const newStreamStatusSchema = z
  .looseObject({
    stream_id: streamId,
    status: z.enum(streamStatuses).describe('The new status'),
    reason: reason.optional().describe('Why'),
  })
  .meta({ id: 'NewSsfStreamStatus' });

/** RFC 9493: as the transmitter names subjects, or a complex one with such a `user` (SSF 1.0 §3). */
const subject = z
  .looseObject({ format: z.string().max(50).describe('RFC 9493 §3') })
  .describe('The subject: `iss_sub` with the issuer of the organization, `opaque`, or a complex one with a `user`');
export const streamSubjectSchema = z
  .looseObject({ stream_id: streamId, subject, verified: z.boolean().optional().describe('Ignored') })
  .meta({ id: 'SsfStreamSubject' });
export const streamVerificationSchema = z
  .looseObject({
    stream_id: streamId,
    state: z.string().max(1000).optional().describe('Returned in the verification event'),
  })
  .meta({ id: 'SsfVerification' });

const setError = z
  .looseObject({
    err: z.string().max(100).describe('Code (RFC 8935 §2.4)'),
    description: z.string().max(1000).optional().describe('Why'),
  })
  .describe('RFC 8936 §2.6');
const jti = z.string().min(1).max(64);
export const pollSchema = z
  .looseObject({
    maxEvents: z.int().min(0).optional().describe('Tokens at most; 0 only acknowledges'),
    returnImmediately: z.boolean().default(false).describe('Whether not to wait when there are none'),
    ack: z.array(jti).max(1000).default([]).describe('Tokens that the receiver has stored'),
    setErrs: z
      .record(jti, setError)
      .refine((errors) => Object.keys(errors).length <= 1000, 'must have at most 1000 errors')
      .default({})
      .describe('Tokens that the receiver cannot accept'),
  })
  .meta({ id: 'SsfPoll' });
export const pollResultSchema = z
  .strictObject({
    sets: z.record(z.string(), z.string()).describe('Tokens (RFC 8417) by their `jti`'),
    moreAvailable: z.boolean().describe('Whether there are more'),
  })
  .meta({ id: 'SsfPollResult' });

const callers = ['gateway'] as const;
const unknown = ['unknown_stream'] as const;
const command = { service: 'signals', callers } as const;

/** Streams of the receiver that asks, oldest first. */
export const listOwnStreams = query({
  ...command,
  name: 'list-own-streams',
  request: z.strictObject({ stream_id: streamId.optional() }),
  reply: z.strictObject({ items: streamsSchema }),
  errors: unknown,
});
export const createOwnStream = idempotentCommand({
  ...command,
  name: 'create-own-stream',
  request: z.strictObject({ stream: newStreamSchema }),
  reply: z.strictObject({ stream: streamSchema }),
  errors: ['limit_reached', 'invalid_request', 'unknown_app'],
});
/** Changes what is given; with `replaces`, what is not given is removed. */
export const updateOwnStream = idempotentCommand({
  ...command,
  name: 'update-own-stream',
  request: z.strictObject({ stream: streamChangesSchema, replaces: z.boolean() }),
  reply: z.strictObject({ stream: streamSchema, changed: z.boolean() }),
  errors: [...unknown, 'invalid_request'],
});
export const deleteOwnStream = idempotentCommand({
  ...command,
  name: 'delete-own-stream',
  request: z.strictObject({ stream_id: streamId }),
  reply: z.strictObject({}),
  errors: unknown,
});
export const getOwnStreamStatus = query({
  ...command,
  name: 'get-own-stream-status',
  request: z.strictObject({ stream_id: streamId }),
  reply: streamStatusSchema,
  errors: unknown,
});
export const setOwnStreamStatus = idempotentCommand({
  ...command,
  name: 'set-own-stream-status',
  request: z.strictObject({ status: newStreamStatusSchema }),
  reply: z.strictObject({ status: streamStatusSchema, changed: z.boolean() }),
  errors: [...unknown, 'stream_paused'],
});
/** Of a subject that does not exist as well, so that no receiver learns who does. */
export const changeStreamSubject = idempotentCommand({
  ...command,
  name: 'change-stream-subject',
  request: z.strictObject({ subject: streamSubjectSchema, added: z.boolean() }),
  reply: z.strictObject({ changed: z.boolean() }),
  errors: [...unknown, 'invalid_request', 'limit_reached'],
});
export const verifyStream = idempotentCommand({
  ...command,
  name: 'verify-stream',
  request: z.strictObject({ verification: streamVerificationSchema }),
  reply: z.strictObject({}),
  errors: [...unknown, 'rate_limited', 'invalid_state'],
});
/** Acknowledges, and returns what is next. A token that is not acknowledged comes again. */
export const pollStream = query({
  ...command,
  name: 'poll-stream',
  // Twice, for two replicas: signing a hundred tokens takes time on a busy machine.
  timeoutMs: 6000,
  request: z.strictObject({ stream_id: streamId, poll: pollSchema }),
  reply: pollResultSchema,
  errors: [...unknown, 'invalid_state'],
});
/** For the discovery document, which everybody may read. */
export const getTransmitter = query({
  ...command,
  name: 'get-transmitter',
  request: z.strictObject({}),
  reply: z.strictObject({ defaultSubjects: z.enum(['ALL', 'NONE']) }),
});

import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';
import { streams, type Stream } from './streams.js';

const quarantinedEventSchema = z.strictObject({
  event: z.uuid().describe('Id of the event'),
  type: z.string().describe('Its type'),
  consumer: z.string().describe('Which service cannot apply it'),
  reason: z.string().describe('Why, without any of its data'),
  since: instant.describe('When it was first quarantined'),
  retries: z.int().describe('How often it was delivered again since then'),
  retryAt: instant.describe('When it is delivered again next'),
});
export type QuarantinedEvent = z.infer<typeof quarantinedEventSchema>;

function contractsOf({ producer, consumers }: Stream) {
  return {
    /**
     * A consumer cannot apply an event. Its producer keeps the event unconfirmed and delivers it again from time to
     * time, so no erasure is confirmed that a consumer has not applied. The consumer acknowledges the event after this
     * reply, so that later events can be confirmed. `known` is false for an event that the producer never wrote, or
     * that every consumer has applied: there is nothing to keep.
     */
    quarantine: command({
      service: producer,
      name: 'quarantine-event',
      callers: consumers,
      request: z.strictObject({
        event: z.uuid(),
        reason: z.string().max(300),
        alone: z
          .literal(true)
          .optional()
          .describe(
            'The message had several events, and the consumer handles each by itself. Without it a consumer of an ' +
              'earlier version may have failed to read the message: then all of its events are quarantined',
          ),
      }),
      reply: z.strictObject({ known: z.boolean() }),
    }),
    /** The first 200, oldest first, and how many there are. */
    list: query({
      service: producer,
      name: 'list-quarantined-events',
      callers: ['operator'],
      request: z.strictObject({}),
      reply: z.strictObject({ events: z.array(quarantinedEventSchema), count: z.int() }),
    }),
    /** Delivers one event, or all of them, again at once. */
    retry: command({
      service: producer,
      name: 'retry-quarantined-events',
      callers: ['operator'],
      request: z.strictObject({ event: z.uuid().optional() }),
      reply: z.strictObject({ retried: z.int() }),
    }),
  };
}

/** The contracts of each producer of events. */
export const quarantines = {
  issuance: contractsOf(streams.issuance),
  directory: contractsOf(streams.directory),
  audit: contractsOf(streams.audit),
};
export type QuarantineContracts = (typeof quarantines)[keyof typeof quarantines];

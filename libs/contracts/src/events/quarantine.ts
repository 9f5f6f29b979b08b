import { z } from 'zod';
import { command, query } from '../contract.js';
import { instant } from '../fields.js';
import { streams, type Stream } from './streams.js';

export const quarantinedEventSchema = z.strictObject({
  event: z.uuid().describe('Id of the event'),
  type: z.string().describe('Its type'),
  consumer: z.string().describe('Which service cannot apply it'),
  reason: z.string().describe('Why, without any of its data'),
  since: instant.describe('When it was quarantined first'),
  retries: z.int().describe('How often it was delivered anew since'),
  retryAt: instant.describe('When it is delivered anew the next time'),
});
export type QuarantinedEvent = z.infer<typeof quarantinedEventSchema>;

function contractsOf({ producer, consumers }: Stream) {
  return {
    /**
     * A consumer cannot apply an event. Its producer keeps the event, unconfirmed, and delivers it anew from
     * time to time; the consumer acknowledges it only after this reply, so that what lies behind it is confirmed and no
     * erasure confirmation is false.
     * `known`: false for an event that the producer never wrote, or that every consumer had already: there is nothing
     * to keep.
     */
    quarantine: command({
      service: producer,
      name: 'quarantine-event',
      callers: consumers,
      request: z.strictObject({ event: z.uuid(), reason: z.string().max(300) }),
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
    /** Delivers one, or all, anew at once. */
    retry: command({
      service: producer,
      name: 'retry-quarantined-events',
      callers: ['operator'],
      request: z.strictObject({ event: z.uuid().optional() }),
      reply: z.strictObject({ retried: z.int() }),
    }),
  };
}

/** Of each producer of events. */
export const quarantines = { issuance: contractsOf(streams.issuance), directory: contractsOf(streams.directory) };
export type QuarantineContracts = (typeof quarantines)[keyof typeof quarantines];

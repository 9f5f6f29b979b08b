import { z } from 'zod';
import type { ServiceName } from '../services.js';
import { directoryEventSchema, issuanceEventSchema } from './events.js';

/** One JetStream stream per producer; each consumer is a durable of its own. Declared by the start job alone. */
export interface Stream<Event extends z.ZodType = z.ZodType> {
  name: string;
  producer: ServiceName;
  subjects: string[];
  event: Event;
  consumers: readonly ServiceName[];
  /** Those among them for which a command's answer waits: they say what they have applied. */
  awaited: readonly ServiceName[];
  /**
   * What it may hold. A consumer that is away fills its stream so far, and then lacks the oldest events until the relay
   * publishes them again.
   */
  maxBytes: number;
}

const mebibyte = 1_048_576;

function stream<Event extends z.ZodType>(
  producer: ServiceName,
  event: Event,
  rest: Pick<Stream, 'consumers' | 'awaited' | 'maxBytes'>,
): Stream<Event> {
  return { name: producer.toUpperCase(), producer, subjects: [`evt.${producer}.>`], event, ...rest };
}

export const streams = {
  issuance: stream('issuance', issuanceEventSchema, {
    consumers: ['subjects', 'audit', 'auth', 'signals'],
    awaited: ['subjects', 'audit'],
    maxBytes: 1024 * mebibyte,
  }),
  directory: stream('directory', directoryEventSchema, {
    consumers: ['audit', 'signals'],
    awaited: ['audit'],
    maxBytes: 256 * mebibyte,
  }),
};

/**
 * Where producers prove that JetStream stores: each has one message there, which the next one replaces. It is a stream
 * of its own because nobody consumes it: a stream with consumers would hand the messages to them, and store none
 * without.
 */
export const probeStream = { name: 'PROBE', subjects: ['probe.*'], maxBytes: mebibyte };

/** Who probes publishes here and nowhere else in that stream. */
export function probeSubject(service: ServiceName): string {
  return `probe.${service}`;
}

/** How the remark in `/readyz` begins by which an operator, and the launcher, sees that events are not stored. */
export const notStoringPrefix = 'JetStream does not store';

/** Streams that this service consumes. */
export function consumedBy(service: ServiceName): Stream[] {
  return Object.values(streams).filter((s) => s.consumers.includes(service));
}

/** Where a consumer says which events it has applied, so that a command's answer can wait for it. */
export function projectionAcknowledgementSubject(consumer: ServiceName, producer: ServiceName): string {
  return `applied.${producer}.${consumer}`;
}

/** The ids of the events that a consumer has applied; a batch has 100 at the most. */
export const projectionAcknowledgementSchema = z.array(z.string().max(64)).max(1000);

/** Where directory tells gateways and auth what changed (versioned, with a heartbeat). */
export const revocationFeedSubject = 'feed.directory.access';

/** Where the replicas of a service say that they live, four times a second. */
export function replicaAnnouncementSubject(service: ServiceName): string {
  return `alive.${service}`;
}

/** What names a replica: no other may be addressed by it, and it fits a subject. */
const replicaId = z.string().regex(/^[0-9A-Za-z]{8,32}$/);

/**
 * `ready`: false when it lives and lacks something. `leaving`: it takes no more requests. `atMs` is its clock, so that
 * clocks can be compared.
 */
export const replicaAnnouncementSchema = z.looseObject({
  replica: replicaId,
  atMs: z.number(),
  ready: z.boolean().optional(),
  leaving: z.boolean().optional(),
});
export type ReplicaAnnouncement = z.infer<typeof replicaAnnouncementSchema>;

/** The subject of a contract at one replica of the service, and not at whichever the queue group chooses. */
export function addressedSubject(contractSubject: string, replica: string): string {
  return `${contractSubject}.${replica}`;
}

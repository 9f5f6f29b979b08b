import { z } from 'zod';
import type { ServiceName } from '../services.js';
import type { EventType } from './event-types.js';
import {
  auditServiceEventSchema,
  directoryEventSchema,
  eventSubject,
  issuanceEventSchema,
  producerConfirmedSubjects,
} from './events.js';

/** The JetStream stream of a producer, with one durable consumer per consuming service. */
export interface Stream<Event extends z.ZodType = z.ZodType> {
  name: string;
  producer: ServiceName;
  subjects: string[];
  event: Event;
  consumers: readonly ServiceName[];
  /**
   * The types of events that a consumer gets, where that is not all of them: `user.updated`, or `credential.>` for each
   * that begins so. JetStream does not deliver the others to it.
   */
  filters: Partial<Record<ServiceName, readonly string[]>>;
  /**
   * Subjects of events of which a message may contain several, since many occur at once
   * (docs/adr/0061-several-events-in-a-message.md). Not those that end a session.
   */
  batchedSubjects: readonly string[];
  /** Consumers that acknowledge to the producer what they have applied, because a command's response waits for it. */
  awaited: readonly ServiceName[];
  /** Subjects of events whose outbox rows stay until their producer deletes them (`confirmedByProducer`). */
  producerConfirmedSubjects: readonly string[];
  /**
   * Maximum size. While a consumer is unavailable, its stream fills up to this size. JetStream then discards the oldest
   * events, and the relay publishes them again once there is room.
   */
  maxBytes: number;
}

/** Of a message with several events. A consumer's batch has at most this many events beyond 100. */
export const maxEventsPerMessage = 64;

const mebibyte = 1_048_576;

function stream<Event extends z.ZodType>(
  producer: ServiceName,
  event: Event,
  {
    batched = [],
    suffix = '',
    ...rest
  }: Pick<Stream, 'consumers' | 'filters' | 'awaited' | 'maxBytes'> & { batched?: EventType[]; suffix?: string },
): Stream<Event> {
  return {
    name: `${producer.toUpperCase()}${suffix}`,
    producer,
    subjects: [`evt.${producer}.>`],
    event,
    batchedSubjects: batched.map((type) => eventSubject(producer, type)),
    producerConfirmedSubjects: producerConfirmedSubjects(producer),
    ...rest,
  };
}

export const streams = {
  issuance: stream('issuance', issuanceEventSchema, {
    consumers: ['subjects', 'audit', 'auth', 'signals'],
    // Most events are about offers, and none of those ends a session.
    filters: { auth: ['credential.>', 'subject.>'] },
    batched: ['offer.created', 'offer.expired', 'offer.withdrawn'],
    awaited: ['subjects', 'audit'],
    maxBytes: 1024 * mebibyte,
  }),
  directory: stream('directory', directoryEventSchema, {
    consumers: ['audit', 'signals', 'auth', 'issuance'],
    filters: {
      // What an app or a person offered ends with their rights.
      issuance: [
        'app.updated',
        'app.deleted',
        'role.changed',
        'user.deactivated',
        'user.erasure_started',
        'user.removed',
      ],
      auth: [
        'assignment.ended',
        'group.member_removed',
        'organization.created',
        'user.activated',
        'user.deactivated',
        'user.erasure_started',
        'user.removed',
        'user.updated',
      ],
    },
    awaited: ['audit'],
    maxBytes: 256 * mebibyte,
  }),
  /** `AUDIT` itself has the entries of the logs. */
  audit: stream('audit', auditServiceEventSchema, {
    suffix: '_EVENTS',
    consumers: ['audit', 'signals'],
    filters: {},
    awaited: ['audit'],
    maxBytes: 16 * mebibyte,
  }),
};

/** The subjects of the events that a consumer gets; undefined when it gets all. */
export function filterSubjects({ producer, filters }: Stream, consumer: ServiceName): string[] | undefined {
  return filters[consumer]?.map((type) => eventSubject(producer, type));
}

/**
 * Producers publish probe messages to this stream to learn whether JetStream stores: it keeps the newest one of each.
 * It is a separate stream, since a stream with consumers delivers its messages to them and stores none without
 * consumers.
 */
export const probeStream = { name: 'PROBE', subjects: ['probe.*'], maxBytes: mebibyte };

/** The one subject of the probe stream that a service publishes to. */
export function probeSubject(service: ServiceName): string {
  return `probe.${service}`;
}

/** The beginning of the line in `/readyz` that tells operators and the launcher that events are not stored. */
export const notStoringPrefix = 'JetStream does not store';

export function consumedBy(service: ServiceName): Stream[] {
  return Object.values(streams).filter((s) => s.consumers.includes(service));
}

/** A consumer acknowledges here which events it has applied, so that a command's response can wait for it. */
export function projectionAcknowledgementSubject(consumer: ServiceName, producer: ServiceName): string {
  return `applied.${producer}.${consumer}`;
}

/** Ids of applied events: those of a consumer's batch. */
export const projectionAcknowledgementSchema = z.array(z.string().max(64)).max(1000);

/** Subject of directory's heartbeat for gateway and auth. */
export const revocationFeedSubject = 'feed.directory.access';

/** The replicas of a service announce themselves here, four times a second. */
export function replicaAnnouncementSubject(service: ServiceName): string {
  return `alive.${service}`;
}

/** A token of a subject, so that it cannot address anything but one replica. */
export const replicaId = z.string().regex(/^[0-9A-Za-z]{8,32}$/, 'must have 8 to 32 letters and digits');

/**
 * `ready` is false when the replica runs and `/readyz` fails. `leaving`: it accepts no more requests. `atMs` is the
 * time of its machine, which receivers compare with theirs. `deduplicates`: it handles a command once, also when it
 * receives its message again.
 */
export const replicaAnnouncementSchema = z.looseObject({
  replica: replicaId,
  atMs: z.number(),
  ready: z.boolean().optional(),
  leaving: z.boolean().optional(),
  deduplicates: z.boolean().optional(),
});
export type ReplicaAnnouncement = z.infer<typeof replicaAnnouncementSchema>;

/** The replicas of a service say here which server of a NATS cluster each uses, so that they use different ones. */
export function peerServerSubject(service: ServiceName): string {
  return `peers.${service}`;
}

/** `choosing`: it is starting, and may still move to another server. */
export const peerServerSchema = z.looseObject({
  replica: replicaId,
  server: z.string().max(300),
  choosing: z.boolean().optional(),
});
export type PeerServer = z.infer<typeof peerServerSchema>;

/** Subject of a contract at one replica, instead of the one that the queue group chooses. */
export function addressedSubject(contractSubject: string, replica: string): string {
  return `${contractSubject}.${replica}`;
}

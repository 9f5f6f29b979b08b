import {
  AckPolicy,
  DeliverPolicy,
  jetstream,
  JetStreamApiError,
  jetstreamManager,
  type ConsumerInfo,
  type JetStreamManager,
} from '@nats-io/jetstream';
import { headers, millis, nanos } from '@nats-io/transport-node';
import { Injectable } from '@nestjs/common';
import {
  entrySeqHeader,
  entryStream,
  entrySubject,
  entrySubjects,
  readerIdSchema,
  type AuditEvent,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { unavailable } from '@holdfast/platform';

const { name } = entryStream;
const publishTimeoutMs = 5000;
/** After this time an entry that a reader has not acknowledged is delivered again. */
const ackWaitMs = 10_000;
/** JSStreamWrongLastSequenceErrF and JSStreamWrongLastMsgIDErrF of nats-server. */
const wrongPlace: readonly number[] = [10_071, 10_070];
const notFound = 404;

export interface StreamState {
  /** Identifies the stream: a stream that was lost and declared again has another one. */
  created: string;
  first: number;
  last: number;
  maxAgeMs: number;
}

/** A message of the stream, and the entry in it. */
interface Held {
  streamSeq: number;
  seq: number;
}

export interface EntryMessage {
  org: string;
  event: AuditEvent;
}

/** Where the consumer of a reader begins. */
export interface ConsumerStart {
  id: string;
  org: string;
  /** Undefined: at the oldest message of the stream. */
  streamSeq: number | undefined;
}

/** What audit does with the JetStream stream of entries. */
@Injectable()
export class EntryStream {
  private manager?: Promise<JetStreamManager>;

  constructor(private readonly bus: Bus) {}

  /** @throws unavailable when the stream does not exist */
  async state(): Promise<StreamState> {
    const info = await (await this.jsm()).streams.info(name).catch(unlessMissing);
    if (!info) throw unavailable(`there is no stream ${name}. Declare it: holdfast bus declare`);
    const { created, state, config } = info;
    return { created, first: state.first_seq, last: state.last_seq, maxAgeMs: millis(config.max_age) };
  }

  /** The newest entry of a log that the stream has. */
  lastOf(org: string): Promise<Held | undefined> {
    return this.held({ last_by_subj: entrySubjects(org) });
  }

  /** The first entry of a log that the stream has from this message on. */
  nextOf(org: string, streamSeq: number): Promise<Held | undefined> {
    return this.held({ seq: streamSeq, next_by_subj: entrySubjects(org) });
  }

  private async held(query: { last_by_subj: string } | { seq: number; next_by_subj: string }) {
    const { streams } = await this.jsm();
    for (let next: { last_by_subj: string } | { seq: number; next_by_subj: string } = query; ;) {
      const message = await streams.getMessage(name, next);
      if (!message) return undefined;
      const seq = Number(message.header.get(entrySeqHeader));
      if (seq > 0) return { streamSeq: message.seq, seq };
      // A message that audit has not published is no entry.
      if ('last_by_subj' in next) return undefined;
      next = { ...next, seq: message.seq + 1 };
    }
  }

  /**
   * Publishes in this order, the first one as the next message after number `last`, and each further one only right
   * after the one before: the number alone would accept it after a message of another publisher. So neither a lost
   * message nor a second publisher can bring entries out of order.
   *
   * @returns how many are stored, and why the next one may not be
   */
  async publish(messages: readonly EntryMessage[], last: number): Promise<{ stored: number; error?: Error }> {
    const client = jetstream(this.bus.connection);
    const acks = await Promise.allSettled(
      messages.map(async ({ org, event }, i) => {
        const header = headers();
        header.set(entrySeqHeader, String(event.seq));
        const { duplicate } = await client.publish(entrySubject(org, event.action), JSON.stringify(event), {
          headers: header,
          msgID: event.id,
          expect: {
            streamName: name,
            lastSequence: last + i,
            ...(i > 0 && { lastMsgID: messages[i - 1]!.event.id }),
          },
          timeout: publishTimeoutMs,
        });
        if (duplicate) throw new PublishedBefore();
      }),
    );
    const failed = acks.findIndex(({ status }) => status === 'rejected');
    if (failed < 0) return { stored: messages.length };
    return { stored: failed, error: (acks[failed] as PromiseRejectedResult).reason as Error };
  }

  /** The consumers of readers, by their ids. */
  async consumers(): Promise<Map<string, ConsumerInfo>> {
    const found = new Map<string, ConsumerInfo>();
    for await (const info of (await this.jsm()).consumers.list(name))
      if (readerIdSchema.safeParse(info.name).success) found.set(info.name, info);
    return found;
  }

  async consumer(id: string): Promise<ConsumerInfo | undefined> {
    return (await this.jsm()).consumers.info(name, id).catch(unlessMissing);
  }

  /** One entry at a time: with several, those of a reader that was killed would come again after later ones. */
  async addConsumer({ id, org, streamSeq }: ConsumerStart): Promise<void> {
    await (
      await this.jsm()
    ).consumers.add(name, {
      durable_name: id,
      filter_subject: entrySubjects(org),
      ack_policy: AckPolicy.Explicit,
      ack_wait: nanos(ackWaitMs),
      max_ack_pending: 1,
      max_deliver: -1,
      max_waiting: 16,
      ...(streamSeq === undefined
        ? { deliver_policy: DeliverPolicy.All }
        : { deliver_policy: DeliverPolicy.StartSequence, opt_start_seq: streamSeq }),
    });
  }

  /** @returns whether there was one */
  async deleteConsumer(id: string): Promise<boolean> {
    return (await (await this.jsm()).consumers.delete(name, id).catch(unlessMissing)) ?? false;
  }

  private jsm(): Promise<JetStreamManager> {
    return (this.manager ??= jetstreamManager(this.bus.connection, { checkAPI: false }));
  }
}

/** Whether another message was stored before this one: another replica publishes, or an earlier one was lost. */
export function isConflict(error: unknown): boolean {
  return error instanceof PublishedBefore || (error instanceof JetStreamApiError && wrongPlace.includes(error.code));
}

/** JetStream has stored this entry within the last two minutes. */
class PublishedBefore extends Error {}

function unlessMissing(error: unknown): undefined {
  if (error instanceof JetStreamApiError && error.status === notFound) return undefined;
  throw error;
}

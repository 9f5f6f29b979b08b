import type { JetStreamManager } from '@nats-io/jetstream';
import { filterSubjects, type Stream } from '@holdfast/contracts';
import { consumerPending, streamBytes, streamMaxBytes } from './metrics.js';

/** What a relay knows of its stream and the consumers of it. */
export interface JetStreamState {
  /** Identifies the stream and its consumers: differs when one of them was created again. */
  incarnation: string;
  /** The stream's last sequence number. */
  last: number;
  /** Every consumer that gets all events has acknowledged those up to this one. */
  floor: number;
  /** Up to which one the other consumers have acknowledged the events that they get. */
  filtered: FilteredFloor[];
  /**
   * A consumer is ahead when the stream has lost its last messages and the consumer has not: it never delivers what is
   * stored up to this sequence number. 0 when none is.
   */
  ahead: number;
  bytes: number;
  maxBytes: number;
}

/** A consumer has acknowledged all messages whose subjects begin with `prefix`, up to the sequence number `floor`. */
export interface FilteredFloor {
  prefix: string;
  floor: number;
}

/** Reads it, and shows it in the metrics. @param labels of these metrics */
export async function readJetStreamState(
  jsm: JetStreamManager,
  declared: Stream,
  labels: { shard?: string },
): Promise<JetStreamState> {
  const { name } = declared;
  const infos = await Promise.all(
    declared.consumers.map(async (consumer) => ({
      consumer,
      filter: filterSubjects(declared, consumer),
      info: await jsm.consumers.info(name, consumer),
    })),
  );
  // Read last, since a consumer may be ahead of an older reading of the stream without any loss.
  const stream = await jsm.streams.info(name);
  const { bytes, last_seq: last } = stream.state;
  const maxBytes = stream.config.max_bytes > 0 ? stream.config.max_bytes : Infinity;
  streamBytes.set({ ...labels, stream: name }, bytes);
  streamMaxBytes.set({ ...labels, stream: name }, maxBytes);
  for (const { consumer, info } of infos)
    consumerPending.set({ ...labels, stream: name, consumer }, info.num_pending + info.num_ack_pending);
  const delivered = Math.max(...infos.map(({ info }) => info.delivered.stream_seq));
  return {
    // A consumer that was created again has not received what was acknowledged before.
    incarnation: [stream.created, ...infos.map(({ info }) => info.created)].join(),
    last,
    floor: Math.min(last, ...infos.filter(({ filter }) => !filter).map(({ info }) => info.ack_floor.stream_seq)),
    filtered: infos.flatMap(({ filter = [], info }) =>
      filter.map((subject) => ({ prefix: subject.replace(/>$/, ''), floor: info.ack_floor.stream_seq })),
    ),
    ahead: delivered > last ? delivered : 0,
    bytes,
    maxBytes,
  };
}

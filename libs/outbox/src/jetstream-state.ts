import type { JetStreamManager } from '@nats-io/jetstream';
import type { Stream } from '@holdfast/contracts';
import { consumerPending, streamBytes, streamMaxBytes } from './metrics.js';

/** What a relay knows of its stream and the consumers of it. */
export interface JetStreamState {
  /** Identifies the stream and its consumers: differs when one of them was created again. */
  incarnation: string;
  /** The stream's last sequence number. */
  last: number;
  /** Every consumer has acknowledged all messages up to this one. */
  floor: number;
  /**
   * A consumer is ahead when the stream has lost its last messages and the consumer has not: it never delivers what is
   * stored up to this sequence number. 0 when none is.
   */
  ahead: number;
  bytes: number;
  maxBytes: number;
}

/** Reads it, and shows it in the metrics. @param labels of these metrics */
export async function readJetStreamState(
  jsm: JetStreamManager,
  { name, consumers }: Stream,
  labels: { shard?: string },
): Promise<JetStreamState> {
  const infos = await Promise.all(consumers.map((c) => jsm.consumers.info(name, c)));
  // Read last, since a consumer may be ahead of an older reading of the stream without any loss.
  const stream = await jsm.streams.info(name);
  const { bytes } = stream.state;
  const maxBytes = stream.config.max_bytes > 0 ? stream.config.max_bytes : Infinity;
  streamBytes.set({ ...labels, stream: name }, bytes);
  streamMaxBytes.set({ ...labels, stream: name }, maxBytes);
  for (const { name: consumer, num_pending, num_ack_pending } of infos)
    consumerPending.set({ ...labels, stream: name, consumer }, num_pending + num_ack_pending);
  const delivered = Math.max(...infos.map((m) => m.delivered.stream_seq));
  return {
    // A consumer that was created again has not received what was acknowledged before.
    incarnation: [stream.created, ...infos.map((m) => m.created)].join(),
    last: stream.state.last_seq,
    floor: Math.min(...infos.map((m) => m.ack_floor.stream_seq)),
    ahead: delivered > stream.state.last_seq ? delivered : 0,
    bytes,
    maxBytes,
  };
}

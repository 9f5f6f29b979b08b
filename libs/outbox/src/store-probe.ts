import { jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { RequestError, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { notStoringPrefix, probeStream, probeSubject, type ServiceName } from '@holdfast/contracts';
import { within } from '@holdfast/platform';
import { jetStreamStores } from './metrics.js';

export interface StoreProbeOptions {
  intervalMs?: number;
  timeoutMs?: number;
  /** The shard whose bus it probes; left out for the service's own bus. */
  shard?: string;
}

/**
 * Larger than a block of the file system. On a full disk a small message could still fit into the block that the last
 * message began, and the probe would succeed.
 */
const body = new Uint8Array(8192);

interface Failure {
  sinceMs: number;
  reason: string;
}

/**
 * Tracks whether JetStream stores messages: by the events that are published anyway, and by a probe message every five
 * seconds. A server can answer pings, requests and its health endpoint and still store nothing (its disk was full, a
 * stream has closed itself), so only a stored message proves it. Each stream is tracked on its own, since one can fail
 * alone.
 */
export class StoreProbe {
  private readonly logger = new Logger('jetstream');
  private readonly js: JetStreamClient;
  private readonly failures = new Map<string, Failure>();
  private readonly seen = new Set<string>();
  private timer?: NodeJS.Timeout;
  private probing?: Promise<void>;

  constructor(
    private readonly connection: NatsConnection,
    private readonly service: ServiceName,
    private readonly options: StoreProbeOptions = {},
  ) {
    this.js = jetstream(connection);
  }

  private get labels(): { shard?: string } {
    const { shard } = this.options;
    return shard === undefined ? {} : { shard };
  }

  private nameOf(stream: string): string {
    const { shard } = this.options;
    return shard === undefined ? stream : `${stream} of the shard ${shard}`;
  }

  start(): void {
    const tick = (): void => void (this.probing ??= this.probe().finally(() => (this.probing = undefined)));
    this.timer = setInterval(tick, this.options.intervalMs ?? 5000);
    this.timer.unref();
  }

  async stop(): Promise<void> {
    clearInterval(this.timer);
    await this.probing;
  }

  stored(stream: string): void {
    // Runs for every published event, so the metric is set only when the state changes.
    if (this.seen.has(stream) && !this.failures.has(stream)) return;
    this.seen.add(stream);
    jetStreamStores.set({ ...this.labels, stream }, 1);
    if (this.failures.delete(stream)) this.logger.log(`JetStream stores in ${this.nameOf(stream)} again`);
  }

  notStored(stream: string, error: unknown): void {
    jetStreamStores.set({ ...this.labels, stream }, 0);
    const earlier = this.failures.get(stream);
    const reason = reasonOf(error);
    this.failures.set(stream, { sinceMs: earlier?.sinceMs ?? performance.now(), reason });
    if (earlier?.reason !== reason)
      this.logger.warn(
        `${notStoringPrefix} in ${this.nameOf(stream)}: ${reason}. Events stay in the outbox and are published again`,
      );
  }

  /** Lines for `/readyz`: one for each stream that does not store. */
  remarks(): string[] {
    return [...this.failures].map(([stream, { sinceMs, reason }]) => {
      const seconds = Math.round((performance.now() - sinceMs) / 1000);
      return `${notStoringPrefix} in ${this.nameOf(stream)} for ${seconds} s: ${reason}`;
    });
  }

  /** Without a connection a failed probe says nothing about JetStream; `/readyz` reports the connection itself. */
  private async probe(): Promise<void> {
    const { name } = probeStream;
    try {
      await this.js.publish(probeSubject(this.service), body, { timeout: this.options.timeoutMs ?? 3000 });
      this.stored(name);
    } catch (error) {
      if (!this.connection.isClosed() && (await this.serverResponds())) this.notStored(name, error);
    }
  }

  private serverResponds(): Promise<boolean> {
    return within(1000, this.connection.flush()).then(
      () => true,
      () => false,
    );
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof JetStreamApiError) return `${error.message} (${error.code})`;
  if (error instanceof Error && error.cause instanceof RequestError)
    return 'no stream takes the message; run holdfast bus declare';
  return error instanceof Error && error.name === 'TimeoutError' ? 'timed out' : String(error);
}

import { jetstream, JetStreamApiError, type JetStreamClient } from '@nats-io/jetstream';
import { RequestError, type NatsConnection } from '@nats-io/transport-node';
import { Logger } from '@nestjs/common';
import { notStoringPrefix, probeStream, probeSubject, type ServiceName } from '@holdfast/contracts';
import { jetStreamStores } from './metrics.js';

export interface StoreProbeOptions {
  intervalMs?: number;
  timeoutMs?: number;
}

/**
 * More than what is left of a block of the file system that the last message began: that would take a small one on a
 * full disk.
 */
const body = new Uint8Array(8192);

interface Failure {
  sinceMs: number;
  reason: string;
}

/**
 * Whether JetStream stores what it is given: known from events that are published anyway, and from a small message
 * every five seconds. A server can answer pings, requests and its own health page, and store nothing (its disk was
 * full, a stream has closed itself); who only asks for information does not notice. A stream that stores no events says
 * nothing about another, so each is known by itself.
 */
export class StoreProbe {
  private readonly logger = new Logger('jetstream');
  private readonly js: JetStreamClient;
  private readonly failures = new Map<string, Failure>();
  private readonly known = new Set<string>();
  private timer?: NodeJS.Timeout;
  private probing?: Promise<void>;

  constructor(
    private readonly connection: NatsConnection,
    private readonly service: ServiceName,
    private readonly options: StoreProbeOptions = {},
  ) {
    this.js = jetstream(connection);
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
    // For each event that is published: the metric is touched when something changes.
    if (this.known.has(stream) && !this.failures.has(stream)) return;
    this.known.add(stream);
    jetStreamStores.set({ stream }, 1);
    if (this.failures.delete(stream)) this.logger.log(`JetStream stores in ${stream} again`);
  }

  notStored(stream: string, error: unknown): void {
    jetStreamStores.set({ stream }, 0);
    const known = this.failures.get(stream);
    const reason = reasonOf(error);
    this.failures.set(stream, { sinceMs: known?.sinceMs ?? performance.now(), reason });
    if (known?.reason !== reason)
      this.logger.warn(
        `${notStoringPrefix} in ${stream}: ${reason}. Events stay in the outbox, and are published again`,
      );
  }

  /** For the answer of `/readyz`: a line for each stream that does not store. */
  remarks(): string[] {
    return [...this.failures].map(
      ([stream, { sinceMs, reason }]) =>
        `${notStoringPrefix} in ${stream} for ${Math.round((performance.now() - sinceMs) / 1000)} s: ${reason}`,
    );
  }

  /** Without a connection nothing is learned about JetStream: `/readyz` says so by itself. */
  private async probe(): Promise<void> {
    const { name } = probeStream;
    try {
      await this.js.publish(probeSubject(this.service), body, { timeout: this.options.timeoutMs ?? 3000 });
      this.stored(name);
    } catch (error) {
      if (!this.connection.isClosed() && (await this.answers())) this.notStored(name, error);
    }
  }

  private answers(): Promise<boolean> {
    const late = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 1000).unref());
    return Promise.race([
      this.connection.flush().then(
        () => true,
        () => false,
      ),
      late,
    ]);
  }
}

function reasonOf(error: unknown): string {
  if (error instanceof JetStreamApiError) return `${error.message} (${error.code})`;
  if (error instanceof Error && error.cause instanceof RequestError)
    return 'no stream takes the message; run holdfast bus declare';
  return error instanceof Error && error.name === 'TimeoutError' ? 'no answer' : String(error);
}

import type { Logger } from '@nestjs/common';
import { z } from 'zod';
import { quarantines, type ServiceName, type Stream } from '@holdfast/contracts';
import type { Bus } from '../requests/bus.js';
import { systemContext } from '../requests/system-context.js';
import { countDroppedMessage } from '../subscriptions/dropped-messages.js';
import { eventsConsumed } from '../telemetry/metrics.js';

export interface Failure {
  /** Of the event. */
  id: string;
  cause: unknown;
}

/** How often a message is tried before its failed events are quarantined; the waits between double. */
const maxAttempts = 5;
/** Messages whose failed attempts are counted. */
const maxCounted = 10_000;
const maxReasonLength = 300;

/**
 * Counts how often each message has failed with a permanent error. After `maxAttempts` its failed events are
 * quarantined: the producer keeps them unconfirmed and delivers them again from time to time
 * (docs/adr/0020-quarantined-events.md).
 */
export class RepeatedFailures {
  private readonly attempts = new Map<string, number>();

  constructor(
    private readonly stream: Stream,
    private readonly consumer: ServiceName,
    private readonly bus: Bus,
    private readonly logger: Logger,
    private readonly retryAfterMs: number,
  ) {}

  /**
   * @param alone others of the message's events may have been applied
   * @returns the delay before the message is tried again; undefined when its failed events are quarantined
   */
  async delayMsAfter(messageId: string, failures: readonly Failure[], alone: boolean): Promise<number | undefined> {
    const attempt = (this.attempts.get(messageId) ?? 0) + 1;
    // Clearing the counters gives these messages some extra attempts.
    if (this.attempts.size >= maxCounted) this.attempts.clear();
    this.attempts.set(messageId, attempt);
    if (attempt < maxAttempts) return this.retryAfterMs * 2 ** (attempt - 1);
    for (const failure of failures) {
      try {
        await this.quarantine(failure, alone);
        eventsConsumed.inc({ stream: this.stream.name, outcome: 'quarantined' }, 1);
      } catch (error) {
        const delayMs = this.retryAfterMs * 2 ** maxAttempts;
        this.logger.warn(`Failed to quarantine event ${failure.id}; retrying in ${delayMs / 1000} s: ${String(error)}`);
        return delayMs;
      }
    }
    return undefined;
  }

  /** To be called when a message is acknowledged. */
  forget(messageId: string): void {
    if (this.attempts.size > 0) this.attempts.delete(messageId);
  }

  /** The relay sets an id on every event, so a message without one is forged and can be dropped. */
  private async quarantine({ id, cause }: Failure, alone: boolean): Promise<void> {
    const event = z.uuid().safeParse(id);
    const { quarantine } = quarantines[this.stream.producer as keyof typeof quarantines];
    const known =
      event.success &&
      (
        await this.bus.request(
          quarantine,
          { event: event.data, reason: reasonOf(cause), ...(alone && { alone }) },
          systemContext(this.consumer),
        )
      ).known;
    if (known)
      this.logger.error(
        `event ${id} could not be applied ${maxAttempts} times (${reasonOf(cause)}) and is quarantined`,
      );
    else
      countDroppedMessage(
        `evt.${this.stream.producer}.>`,
        'body',
        `an event that is not in the outbox of ${this.stream.producer} could not be applied (${reasonOf(cause)})`,
      );
  }
}

/** Contains no data of the event, which may identify a customer. */
export function reasonOf(cause: unknown): string {
  if (cause instanceof z.ZodError) {
    const places = new Set(cause.issues.map(({ path }) => path.join('.') || 'its root'));
    return `does not fit the schema at ${[...places].join(', ')}`.slice(0, maxReasonLength);
  }
  const {
    name = 'Error',
    code,
    constraint,
  } = (cause ?? {}) as { name?: unknown; code?: unknown; constraint?: unknown };
  return [name, code, constraint]
    .filter((part) => typeof part === 'string')
    .join(' ')
    .slice(0, maxReasonLength);
}

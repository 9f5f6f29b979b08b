import type { NatsConnection } from '@nats-io/transport-node';
import {
  projectionAcknowledgementSchema,
  projectionAcknowledgementSubject,
  type ServiceName,
} from '@holdfast/contracts';
import { subscribeValidated } from '../subscriptions/validated-subscription.js';

/**
 * Acknowledges to a producer which of its events this consumer has applied. A lost acknowledgement only makes a command
 * wait until its timeout.
 */
export function acknowledgeProjection(
  connection: NatsConnection,
  consumer: ServiceName,
  producer: ServiceName,
  ids: string[],
): void {
  connection.publish(projectionAcknowledgementSubject(consumer, producer), JSON.stringify(ids));
}

/** Lets a command wait until a consumer has applied its event. */
export class ProjectionAcknowledgements {
  private readonly waiting = new Map<string, () => void>();

  constructor(connection: NatsConnection, producer: ServiceName) {
    const subject = projectionAcknowledgementSubject('*' as ServiceName, producer);
    subscribeValidated(connection, subject, projectionAcknowledgementSchema, (ids, receivedOn) => {
      const consumer = receivedOn.split('.')[2];
      for (const id of ids) this.waiting.get(`${consumer}/${id}`)?.();
    });
  }

  /** True once `consumer` has applied event `id`, false after `timeoutMs`. Call it before publishing the event. */
  wait(consumer: ServiceName, id: string, timeoutMs: number): Promise<boolean> {
    const key = `${consumer}/${id}`;
    return new Promise((resolve) => {
      const finish = (applied: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(key);
        resolve(applied);
      };
      const timer = setTimeout(() => finish(false), timeoutMs);
      this.waiting.set(key, () => finish(true));
    });
  }
}

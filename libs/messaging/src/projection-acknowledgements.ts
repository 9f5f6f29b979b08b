import type { NatsConnection } from '@nats-io/transport-node';
import {
  projectionAcknowledgementSchema,
  projectionAcknowledgementSubject,
  type ServiceName,
} from '@holdfast/contracts';
import { subscribeValidated } from './validated-subscription.js';

/** Tells a producer which of its events this consumer has applied. Lost notices cost a wait, never correctness. */
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
    subscribeValidated(
      connection,
      projectionAcknowledgementSubject('*' as ServiceName, producer),
      projectionAcknowledgementSchema,
      (ids, subject) => {
        const consumer = subject.split('.')[2];
        for (const id of ids) this.waiting.get(`${consumer}/${id}`)?.();
      },
    );
  }

  /** True once `consumer` has applied event `id`, false after `ms` milliseconds. Call before publishing the event. */
  wait(consumer: ServiceName, id: string, ms: number): Promise<boolean> {
    const key = `${consumer}/${id}`;
    return new Promise((resolve) => {
      const done = (applied: boolean) => {
        clearTimeout(timer);
        this.waiting.delete(key);
        resolve(applied);
      };
      const timer = setTimeout(() => done(false), ms);
      this.waiting.set(key, () => done(true));
    });
  }
}

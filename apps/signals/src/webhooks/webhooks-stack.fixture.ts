import { randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  createWebhookEndpoint,
  getWebhookEndpoint,
  listWebhookAttempts,
  listWebhookMessages,
  type CustomerEvent,
  type DomainEvent,
  type NewWebhookEndpoint,
  type ReplyOf,
  type RequestContext,
  type WebhookDeliveryHistory,
  type WebhookEndpoint,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { eventBase, eventually, FakeClock, testContext } from '@holdfast/testing';
import { DestinationsStack } from '../audit-destinations/destinations-stack.fixture.js';
import { Receiver, type ReceivedRequest } from '../audit-destinations/receiver.fixture.js';

/** Replicas of signals, a receiver, and issuance as its events describe it. */
export class WebhooksStack {
  private constructor(
    readonly signals: DestinationsStack,
    readonly receiver: Receiver,
    readonly issuance: NatsConnection,
    readonly directory: NatsConnection,
  ) {}

  /** @param allow further origins that may be called */
  static async start(allow: string[] = []): Promise<WebhooksStack> {
    const receiver = new Receiver();
    await receiver.open();
    const signals = await DestinationsStack.start([receiver.origin, ...allow]);
    return new WebhooksStack(
      signals,
      receiver,
      await signals.connectAs('issuance'),
      await signals.connectAs('directory'),
    );
  }

  get bus(): Bus {
    return this.signals.bus;
  }

  get clock(): FakeClock {
    return this.signals.clock;
  }

  async stop(): Promise<void> {
    await Promise.all([this.issuance.close(), this.directory.close()]);
    this.receiver.close();
    await this.signals.stop();
  }

  async create(
    path: string,
    endpoint: Partial<NewWebhookEndpoint> = {},
    context: RequestContext = testContext({ org: 'acme' }),
  ): Promise<WebhookEndpoint & { secret: string }> {
    const given = { url: `${this.receiver.origin}${path}`, signatures: ['v1' as const], ...endpoint };
    return (await this.bus.request(createWebhookEndpoint, { endpoint: given }, context)).endpoint;
  }

  get(id: string, org = 'acme'): Promise<WebhookEndpoint> {
    return this.bus.request(getWebhookEndpoint, { id }, testContext({ org }));
  }

  async publish(...events: DomainEvent[]): Promise<void> {
    for (const event of events) {
      const isOfDirectory = /^(app|user|role|organization)\b/.test(event.type);
      const [connection, producer] = isOfDirectory ? [this.directory, 'directory'] : [this.issuance, 'issuance'];
      await jetstream(connection).publish(`evt.${producer}.${event.type}`, JSON.stringify(event));
    }
  }

  /** Waits for so many requests at a path. */
  received(path: string, count = 1): Promise<ReceivedRequest[]> {
    return eventually(() => {
      const found = this.receiver.at(path);
      return Promise.resolve(found.length >= count && found);
    });
  }

  messages(filter: object = {}, org = 'acme'): Promise<ReplyOf<typeof listWebhookMessages>> {
    return this.bus.request(listWebhookMessages, { limit: 200, ...filter }, testContext({ org }));
  }

  /** What became of a message at its first endpoint, when it has so many attempts. */
  afterAttempts(id: string, count: number): Promise<WebhookDeliveryHistory> {
    return eventually(async () => {
      const { deliveries } = await this.bus.request(listWebhookAttempts, { id }, testContext({ org: 'acme' }));
      return deliveries[0]!.history.length >= count && deliveries[0]!;
    });
  }
}

/** The event of a new offer to a customer, which has no predecessor. */
export function offered({ subject = randomUUID(), org = 'acme', version = 1 } = {}): CustomerEvent {
  const credentialId = randomUUID();
  return {
    ...eventBase(),
    id: randomUUID(),
    org,
    version,
    type: 'offer.created',
    subject,
    data: {
      ...{ subject, credentialId, credentialType: 'customer', offerId: randomUUID() },
      expiresAt: '2026-12-01T00:00:00.000Z',
    },
  };
}

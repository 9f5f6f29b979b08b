import { SetMetadata, type INestApplicationContext } from '@nestjs/common';
import type { z } from 'zod';
import type { DomainEvent, ServiceName, Stream } from '@holdfast/contracts';
import { decoratedMethods } from '../decorated-methods.js';
import type { Bus } from '../requests/bus.js';
import type { OwnOrganizations } from '../shards/own-organizations.js';
import { EventConsumer, type ApplyBatch, type ConsumerOptions } from './consumer.js';

const consumesKey = Symbol('Consumes');

interface Consumption {
  streams: readonly Stream[];
  options: ConsumerOptions;
}

/**
 * Makes a provider's method the consumer of one or more streams. It receives the events in batches and applies each
 * batch in one transaction; if it throws, it receives them again (EventConsumer). startService() finds the method,
 * starts the consumer when the application is up, and stops it on shutdown.
 */
export function Consumes<S extends Stream>(streams: S | readonly S[], options: ConsumerOptions = {}) {
  const metadata: Consumption = { streams: [streams].flat(), options };
  return <Method extends ApplyBatch<z.output<S['event']>>>(
    target: object,
    key: string,
    descriptor: TypedPropertyDescriptor<Method>,
  ): void => void SetMetadata(consumesKey, metadata)(target, key, descriptor);
}

export interface RunningConsumers {
  /** Resolves when the current batch is applied and acknowledged. */
  stop(): Promise<void>;
  /** What an operator should know: streams whose events cannot be applied, with the reason. */
  remarks(): string[];
}

/**
 * Starts a consumer for each method that `@Consumes` decorates, of the streams on one bus. With `own`, events of other
 * shards' organizations are quarantined, and those of deleted organizations dropped.
 *
 * @throws when the contract of a stream does not list the service, or two methods consume the same stream
 */
export function startConsumers(
  app: INestApplicationContext,
  service: ServiceName,
  bus: Bus,
  own?: OwnOrganizations,
): RunningConsumers {
  const consumers = new Map<string, EventConsumer<Stream>>();
  for (const { metadata, label, invoke } of decoratedMethods<Consumption>(app, consumesKey)) {
    for (const stream of metadata.streams) {
      if (!stream.consumers.includes(service))
        throw new Error(
          `${label} consumes ${stream.name}, but that stream does not list ${service} as a consumer. ` +
            'Add it in libs/contracts/src/events/streams.ts',
        );
      if (consumers.has(stream.name))
        throw new Error(
          `${label} consumes ${stream.name}, and so does another method of ${service}. ` +
            'A service has one durable consumer of a stream, so each of them would get a part of the events',
        );
      const apply: ApplyBatch<DomainEvent> = async (events) => {
        const applicable = own ? await own.ofExisting(events) : events;
        await own?.require(
          applicable.map(({ org }) => org),
          'events',
        );
        if (applicable.length > 0) await invoke(applicable);
      };
      consumers.set(
        stream.name,
        new EventConsumer(stream, service, bus, apply as ApplyBatch<unknown>, metadata.options),
      );
    }
  }
  for (const consumer of consumers.values()) consumer.start();
  return {
    stop: async () => void (await Promise.all([...consumers.values()].map((consumer) => consumer.stop()))),
    remarks: () => [...consumers.values()].flatMap((consumer) => consumer.remark() ?? []),
  };
}

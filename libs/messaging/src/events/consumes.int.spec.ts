import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream, jetstreamManager } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Injectable, Logger, Module, type DynamicModule, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { register } from 'prom-client';
import { natsUsers, streams, type DirectoryEvent } from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { appEvent, eventually, startTestBus, type TestBus } from '@holdfast/testing';
import { connectBus } from '../connection/connection.js';
import { Bus } from '../requests/bus.js';
import { declareStreams } from '../streams/declare.js';
import { Consumes, startConsumers } from './consumes.js';

Logger.overrideLogger(false);

@Injectable()
class Recorder {
  readonly applied: string[] = [];
  failures = 0;

  @Consumes(streams.directory, { retryAfterMs: 20 })
  async record(events: DirectoryEvent[]): Promise<void> {
    await Promise.resolve();
    if (this.failures++ === 0) throw Object.assign(new Error('terminating connection'), { code: '57P01' });
    this.applied.push(...events.map(({ id }) => id));
  }
}

@Injectable()
class SecondRecorder {
  @Consumes(Object.values(streams))
  async record(): Promise<void> {}
}

@Module({})
class Recording {}

describe('@Consumes', () => {
  let nats: TestBus;
  const connections: NatsConnection[] = [];

  const connectAs = async (user: (typeof natsUsers)[number]): Promise<NatsConnection> => {
    const connection = await connectBus(
      { url: nats.url, nkeySeed: nats.seed(user), user },
      createLogger('test', 'fatal'),
    );
    connections.push(connection);
    return connection;
  };
  const application = (bus: Bus, ...providers: Type[]) => {
    const module: DynamicModule = {
      module: Recording,
      imports: [DiscoveryModule],
      providers: [...providers, { provide: Bus, useValue: bus }],
    };
    return NestFactory.createApplicationContext(module, { logger: false, abortOnError: false });
  };

  beforeAll(async () => {
    nats = await startTestBus();
    await declareStreams(await connectAs('deploy'));
  });
  afterAll(async () => {
    for (const connection of connections) await connection.close();
    await nats.stop();
  });

  it('applies the events of its stream, again after a failure, until it stops', async () => {
    const app = await application(new Bus(await connectAs('audit')), Recorder);
    const consumers = startConsumers(app, 'audit', app.get(Bus));
    const recorder = app.get(Recorder);
    const directory = await connectAs('directory');
    const publish = async (type: 'app.created' | 'app.updated'): Promise<string> => {
      const event = appEvent(type);
      await jetstream(directory).publish(`evt.directory.${type}`, JSON.stringify(event));
      return event.id;
    };

    const published = [await publish('app.created'), await publish('app.updated')];
    await eventually(() => expect(new Set(recorder.applied)).toEqual(new Set(published)));
    await eventually(async () => {
      const metrics = await register.metrics();
      expect(metrics).toMatch(/holdfast_events_consumed_total\{stream="DIRECTORY",outcome="failed"\} [1-9]/);
      expect(metrics).toMatch(/holdfast_events_consumed_total\{stream="DIRECTORY",outcome="applied"\} [2-9]/);
      expect(metrics).toMatch(/holdfast_consumer_last_success_timestamp_seconds\{stream="DIRECTORY"\} \d{10}/);
    });

    await consumers.stop();
    const after = await publish('app.created');
    await new Promise((resolve) => setTimeout(resolve, 300));
    expect(recorder.applied).not.toContain(after);
    await app.close();
  });

  it('acknowledges messages that no outbox has published, counts them, and applies the next event', async () => {
    const app = await application(new Bus(await connectAs('audit')), Recorder);
    const js = jetstream(await connectAs('directory'));
    const dropped = async () =>
      Number(
        /holdfast_bus_messages_dropped_total\{subject="DIRECTORY",reason="sender"\} (\d+)/.exec(
          await register.metrics(),
        )?.[1] ?? 0,
      );
    const before = await dropped();
    // Empty, without a message id, and what JetStream's API responds.
    for (const body of ['', 'x', '{"type":"io.nats.jetstream.api.v1.consumer_info_response"}', '[]', '[{}]'])
      await js.publish('evt.directory.x', body);
    // JetStream's response to a pull, with a subject of the stream as reply subject.
    const audit = await connectAs('audit');
    const request = JSON.stringify({ batch: 1, no_wait: true });
    audit.publish('$JS.API.CONSUMER.MSG.NEXT.ISSUANCE.audit', request, { reply: 'evt.directory.forged' });
    const event = appEvent('app.created');
    await js.publish('evt.directory.app.created', JSON.stringify(event), { msgID: event.id });
    const consumers = startConsumers(app, 'audit', app.get(Bus));
    await eventually(() => expect(app.get(Recorder).applied).toContain(event.id));
    await eventually(async () => expect((await dropped()) - before).toBe(6));
    const { consumers: durable } = await jetstreamManager(await connectAs('deploy'), { checkAPI: false });
    await eventually(async () => {
      const { num_pending: pending, num_ack_pending: unacknowledged } = await durable.info('DIRECTORY', 'audit');
      expect([pending, unacknowledged]).toEqual([0, 0]);
    });
    await consumers.stop();
    await app.close();
  });

  it('does not start when the contract of the stream does not list the service', async () => {
    const app = await application(new Bus(await connectAs('subjects')), Recorder);
    expect(() => startConsumers(app, 'subjects', app.get(Bus))).toThrow(
      'that stream does not list subjects as a consumer',
    );
    await app.close();
  });

  it('does not start when two methods consume the same stream', async () => {
    const app = await application(new Bus(await connectAs('audit')), Recorder, SecondRecorder);
    expect(() => startConsumers(app, 'audit', app.get(Bus))).toThrow('so does another method of audit');
    await app.close();
  });
});

import 'reflect-metadata';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Injectable, Logger, Module, type DynamicModule, type Type } from '@nestjs/common';
import { DiscoveryModule, NestFactory } from '@nestjs/core';
import { register } from 'prom-client';
import { natsUsers, streams, type DirectoryEvent } from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { appEvent, eventually, startTestBus, type TestBus } from '@holdfast/testing';
import { Bus } from './bus.js';
import { connectBus } from './connection.js';
import { Consumes, startConsumers } from './consumes.js';
import { declareStreams } from './declare.js';

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

  it('does not start when the contract of the stream does not list the service', async () => {
    const app = await application(new Bus(await connectAs('issuance')), Recorder);
    expect(() => startConsumers(app, 'issuance', app.get(Bus))).toThrow(
      'that stream does not list issuance as a consumer',
    );
    await app.close();
  });

  it('does not start when two methods consume the same stream', async () => {
    const app = await application(new Bus(await connectAs('audit')), Recorder, SecondRecorder);
    expect(() => startConsumers(app, 'audit', app.get(Bus))).toThrow('so does another method of audit');
    await app.close();
  });
});

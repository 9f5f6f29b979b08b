import { afterAll, afterEach, beforeAll, expect, it } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Injectable, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import {
  organizationShards,
  quarantines,
  streams,
  withdrawOffer,
  type BusUser,
  type DirectoryEvent,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, connectBus, Consumes, declareStreams, Handles, Shards } from '@holdfast/messaging';
import { AppError, createLogger } from '@holdfast/platform';
import { appEvent, eventually, startTestBus, testConfig, testContext, type TestBus } from '@holdfast/testing';
import { startService, type RunningService } from './start-service.js';

const quiet = createLogger('test', 'fatal');
const shardOf: Record<string, string> = { acme: 'main', globex: 'eu2' };
/** The short ids of each query that directory has handled. */
const lookedUp: string[][] = [];
/** The events that directory has quarantined. */
const quarantined: string[] = [];
/** The organizations of the events that a service of each shard has applied. */
const applied = { main: [] as string[], eu2: [] as string[] };

@Controller()
class Directory {
  @Handles(organizationShards)
  shards({ shortIds }: RequestOf<typeof organizationShards>): Promise<ReplyOf<typeof organizationShards>> {
    lookedUp.push([...shortIds].sort());
    const known = shortIds.filter((shortId) => shortId in shardOf);
    return Promise.resolve({ organizations: known.map((shortId) => ({ shortId, shard: shardOf[shortId]! })) });
  }

  @Handles(quarantines.directory.quarantine)
  quarantine({ event }: RequestOf<typeof quarantines.directory.quarantine>): Promise<{ known: boolean }> {
    quarantined.push(event);
    return Promise.resolve({ known: true });
  }
}

@Module({ controllers: [Directory] })
class DirectoryModule {}

/** Names its shard in the error, so that a test sees which one has handled the request. */
function issuanceOf(shard: string) {
  @Controller()
  class WithdrawOffer {
    @Handles(withdrawOffer)
    withdraw(_: unknown, { org }: RequestContext): Promise<ReplyOf<typeof withdrawOffer>> {
      return Promise.reject(new AppError('invalid_state', `${org} at ${shard}`));
    }
  }

  @Module({ controllers: [WithdrawOffer] })
  class Issuance {}
  return Issuance;
}

function signalsOf(shard: 'main' | 'eu2') {
  @Injectable()
  class Recorder {
    @Consumes(streams.directory, { retryAfterMs: 5 })
    async record(events: DirectoryEvent[]): Promise<void> {
      await Promise.resolve();
      applied[shard].push(...events.map(({ org }) => org));
    }
  }

  @Module({ providers: [Recorder] })
  class Signals {}
  return Signals;
}

@Module({})
class Nothing {}

const buses = {} as Record<'main' | 'eu2', TestBus>;
const running: RunningService[] = [];
const connections: NatsConnection[] = [];

async function connectTo(bus: TestBus, user: BusUser): Promise<NatsConnection> {
  const connection = await connectBus({ url: bus.url, nkeySeed: bus.seed(user), user }, quiet);
  connections.push(connection);
  return connection;
}

async function start(options: Parameters<typeof startService>[0]): Promise<RunningService> {
  const service = await startService({ ...options, logger: quiet });
  running.push(service);
  return service;
}

const startGateway = () =>
  start({
    service: 'gateway',
    config: { ...testConfig(buses.main, 'gateway'), SHARDS: { eu2: buses.eu2.url } },
    module: Nothing,
    // It handles no requests of the bus.
    createApp: (root) => NestFactory.createApplicationContext(root, { logger: false }),
  });

beforeAll(async () => {
  [buses.main, buses.eu2] = await Promise.all([startTestBus(), startTestBus()]);
  for (const bus of Object.values(buses)) await declareStreams(await connectTo(bus, 'deploy'));
  await start({
    service: 'directory',
    config: { ...testConfig(buses.main, 'directory'), SHARDS: { eu2: buses.eu2.url } },
    module: DirectoryModule,
  });
  for (const shard of ['main', 'eu2'] as const) {
    const config = (user: BusUser) => ({ ...testConfig(buses[shard], user), SHARD: shard });
    await start({ service: 'issuance', config: config('issuance'), module: issuanceOf(shard) });
    await start({ service: 'signals', config: config('signals'), module: signalsOf(shard) });
  }
});
afterEach(() => {
  lookedUp.length = 0;
});
afterAll(async () => {
  for (const service of running.reverse()) await service.stop();
  for (const connection of connections) await connection.close();
  await Promise.all(Object.values(buses).map((bus) => bus.stop()));
});

const offerId = '0192f7e0-0000-7000-8000-000000000001';
const withdraw = (bus: Bus, org: string): Promise<AppError> =>
  bus.request(withdrawOffer, { offerId }, testContext({ org })).then(
    () => new AppError('internal', 'it has not failed'),
    (error: AppError) => error,
  );

it('sends each request to the shard of its organization, and looks each organization up once', async () => {
  const { app } = await startGateway();
  const bus = app.get(Bus);
  const organizations = ['acme', 'globex', 'acme', 'globex'];
  const details = async () =>
    (await Promise.all(organizations.map((org) => withdraw(bus, org)))).map(({ detail }) => detail);
  const expected = ['acme at main', 'globex at eu2', 'acme at main', 'globex at eu2'];
  expect(await details()).toEqual(expected);
  // One query of the gateway for both, and one of each issuance, which checks what it gets.
  expect(lookedUp.map((shortIds) => shortIds.join()).toSorted()).toEqual(['acme', 'acme,globex', 'globex']);
  expect(await details()).toEqual(expected);
  expect(lookedUp).toHaveLength(3);
});

it('knows each other shard, for requests that are of no organization', async () => {
  const { app } = await startGateway();
  const others = await app.get(Shards).others();
  expect(others.map(({ name, bus }) => [name, bus.connection.getServer()])).toEqual([
    ['eu2', buses.eu2.url.replace('nats://', '')],
  ]);
});

it('sends requests for organizations that do not exist to main, and asks again each time', async () => {
  const { app } = await startGateway();
  const bus = app.get(Bus);
  for (let i = 0; i < 2; i += 1) expect((await withdraw(bus, 'nobody')).detail).toBe('nobody at main');
  shardOf.nobody = 'eu2';
  // Issuance of main has not kept its answer either.
  expect((await withdraw(bus, 'nobody')).detail).toBe('nobody at eu2');
});

it.each([
  ['main', 'globex', 'eu2'],
  ['eu2', 'acme', 'main'],
] as const)('a service of %s refuses a request for an organization of another shard', async (shard, org, own) => {
  const bus = new Bus(await connectTo(buses[shard], 'gateway'));
  expect(await withdraw(bus, org)).toMatchObject({
    code: 'unavailable',
    detail: expect.stringContaining(
      `${org} is on the shard ${own}, and this service belongs to ${shard}`,
    ) as unknown as string,
    origin: { cause: 'misdirected' },
  });
});

it('a service quarantines an event of another shard, and applies those around it', async () => {
  const publisher = jetstream(await connectTo(buses.eu2, 'directory'));
  const events = ['globex', 'acme', 'globex'].map((org) => ({ ...appEvent(), org }));
  for (const event of events)
    await publisher.publish('evt.directory.app.updated', JSON.stringify(event), { msgID: `${event.id}.1.0` });
  await eventually(() => expect(quarantined).toEqual([events[1]!.id]));
  await eventually(() => expect(applied).toEqual({ main: [], eu2: ['globex', 'globex'] }));
});

it('without the bus of a shard, only requests of its organizations fail, until it is back', async () => {
  const { app } = await startGateway();
  const bus = app.get(Bus);
  await buses.eu2.kill();
  const lateGateway = startGateway();
  expect(await withdraw(bus, 'globex')).toMatchObject({ code: 'unavailable', retryAfter: 1 });
  expect((await withdraw(bus, 'acme')).detail).toBe('acme at main');
  // It starts without the shard.
  const { app: lateApp } = await lateGateway;
  const late = lateApp.get(Bus);
  await expect(lateApp.get(Shards).others()).rejects.toMatchObject({
    code: 'unavailable',
    detail: 'the message bus of the shard eu2 is unavailable',
  });
  expect(await withdraw(late, 'globex')).toMatchObject({
    code: 'unavailable',
    detail: 'the message bus of the shard eu2 is unavailable',
  });
  expect((await withdraw(late, 'acme')).detail).toBe('acme at main');
  await buses.eu2.restart();
  for (const each of [bus, late])
    await eventually(async () => expect((await withdraw(each, 'globex')).detail).toBe('globex at eu2'));
});

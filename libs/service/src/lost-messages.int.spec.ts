import { setTimeout as sleep } from 'node:timers/promises';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { withdrawOffer, type RequestOf } from '@holdfast/contracts';
import { Bus, connectBus, Handles, Replicas } from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { eventually, startTestCluster, testConfig, testContext, type TestCluster } from '@holdfast/testing';
import { startService, type RunningService } from './start-service.js';

const handled = new Map<string, number>();

@Controller()
class WithdrawOffer {
  @Handles(withdrawOffer)
  async handle({ offerId }: RequestOf<typeof withdrawOffer>): Promise<Record<string, never>> {
    handled.set(offerId, (handled.get(offerId) ?? 0) + 1);
    // So that responses are due at every time while a connection is lost.
    await sleep(Number.parseInt(offerId.slice(-3), 16));
    return {};
  }
}

@Module({ controllers: [WithdrawOffer] })
class Issuance {}

let cluster: TestCluster;
let service: RunningService;
let caller: NatsConnection;
let bus: Bus;
const logger = createLogger('test', 'fatal');
const idOf = (number: number) => `00000000-0000-4000-8000-${number.toString(16).padStart(12, '0')}`;

const connect = (url: string) => connectBus({ url, nkeySeed: cluster.seed('gateway'), user: 'gateway' }, logger);

async function requestThrough(url: string): Promise<void> {
  const connection = await connect(url);
  try {
    await new Bus(connection).request(withdrawOffer, { offerId: idOf(1) }, testContext());
  } finally {
    await connection.close();
  }
}

beforeAll(async () => {
  cluster = await startTestCluster();
  service = await startService({
    service: 'issuance',
    config: testConfig(cluster, 'issuance'),
    module: Issuance,
    logger,
  });
  caller = await connect(cluster.url);
  const replicas = new Replicas(caller);
  await replicas.waitForReplica('issuance', 10_000);
  bus = new Bus(caller, undefined, replicas);
});
afterAll(async () => {
  await caller.close();
  await service.stop();
  await cluster.stop();
});

it.each([0, 1, 2])('no command is lost and none is handled twice when NATS server %i is killed', async (index) => {
  handled.clear();
  const offerIds = Array.from({ length: 100 }, (_, i) => idOf(1 + i * 4));
  const commands = offerIds.map((offerId) =>
    bus.request({ ...withdrawOffer, timeoutMs: 9000 }, { offerId }, testContext()).then(() => 'ok', String),
  );
  await sleep(20);
  const server = cluster.servers[index]!;
  await server.kill();
  expect(await Promise.all(commands)).toEqual(Array(100).fill('ok'));
  expect([...handled.values()]).toEqual(Array(100).fill(1));
  server.start();
  await eventually(() => requestThrough(server.url));
});

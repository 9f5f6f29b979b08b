import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import {
  addressedSubject,
  getPresencePolicy,
  getSubject,
  replicaAnnouncementSubject,
  withdrawOffer,
  type Contract,
} from '@holdfast/contracts';
import { AppError, createLogger } from '@holdfast/platform';
import { eventually, startTestBus, testContext, type TestBus } from '@holdfast/testing';
import { connectBus } from '../connection/connection.js';
import { Bus, UncertainError } from '../requests/bus.js';
import { Replicas } from './replicas.js';
import { waitForSuccessor } from './successor.js';

const offerId = '00000000-0000-4000-8000-000000000001';
let nats: TestBus;
let caller: NatsConnection;
let bus: Bus;
/** Of the callers: it stands still unless a test advances it, so that no announcement comes too late. */
let monotonicMs: number;
const stops: (() => Promise<void>)[] = [];

const as = (user: 'gateway' | 'issuance' | 'operator' | 'subjects'): Promise<NatsConnection> =>
  connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, createLogger('test', 'fatal'));

beforeAll(async () => {
  nats = await startTestBus();
  caller = await as('gateway');
});
afterEach(async () => {
  for (const stop of stops.splice(0)) await stop();
});
afterAll(async () => {
  await caller.close();
  await nats.stop();
});

interface Stub {
  requests: number;
  /**
   * `paused`: neither responds nor announces itself, as under SIGSTOP. `mute`: announces itself and does not respond.
   */
  state: 'healthy' | 'paused' | 'mute' | 'not ready';
}

/** A stub of a replica: it subscribes in the queue group and by its id, and announces itself. */
async function replica(id: string, contract: Contract = withdrawOffer): Promise<Stub> {
  const stub: Stub = { requests: 0, state: 'healthy' };
  const connection = await as(contract.service as 'issuance');
  for (const subject of [contract.subject, addressedSubject(contract.subject, id)]) {
    connection.subscribe(subject, {
      queue: contract.service,
      callback: (_, message) => {
        stub.requests += 1;
        const { id: request } = message.json<{ id: string }>();
        if (stub.state === 'healthy' || stub.state === 'not ready')
          message.respond(JSON.stringify({ id: request, response: {}, isDisposed: true }));
      },
    });
  }
  const publishAnnouncement = () =>
    stub.state !== 'paused' &&
    connection.publish(
      replicaAnnouncementSubject(contract.service),
      JSON.stringify({ replica: id, atMs: Date.now(), ready: stub.state !== 'not ready' }),
    );
  publishAnnouncement();
  const timer = setInterval(publishAnnouncement, 100);
  await connection.flush();
  stops.push(async () => {
    clearInterval(timer);
    await connection.close();
  });
  return stub;
}

async function callerOf(contract: Contract, ...ids: string[]): Promise<Replicas> {
  // Of these replicas only: those of an earlier test hear announcements too.
  const announced = new Set<string>();
  monotonicMs = 0;
  const replicas = new Replicas(
    caller,
    (_, { replica: id }) => announced.add(id),
    () => monotonicMs,
  );
  bus = new Bus(caller, undefined, replicas);
  replicas.choose(contract.service);
  await eventually(() => ids.every((id) => announced.has(id)));
  return replicas;
}

const command = { ...withdrawOffer, timeoutMs: 1500 };
const send = () => bus.request(command, { offerId }, testContext());
const outcome = (request: Promise<unknown>) =>
  request.then(
    () => 'ok',
    (error: unknown) =>
      error instanceof UncertainError ? 'uncertain' : error instanceof AppError ? error.code : String(error),
  );

test('sends nothing more to a hung replica than its share of the requests in flight', async () => {
  const [healthy, hung] = [await replica('replica00001'), await replica('replica00002')];
  const replicas = await callerOf(command, 'replica00001', 'replica00002');
  hung.state = 'paused';
  const outcomes = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const results: string[] = [];
      while (results.length < 40) results.push(await outcome(send()));
      return results;
    }),
  );
  const failed = outcomes.flat().filter((result) => result !== 'ok');
  // 16 callers: half of their requests in flight.
  expect(failed.length).toBeLessThanOrEqual(9);
  expect(new Set(failed)).toEqual(new Set(failed.length > 0 ? ['uncertain'] : []));
  const { requests } = hung;
  // It is not avoided any more because of its timeouts, and it is silent.
  monotonicMs += 60_000;
  await eventually(() => expect(replicas.choose('issuance')?.id).toBe('replica00001'));
  expect(await Promise.all(Array.from({ length: 30 }, () => outcome(send())))).toEqual(Array(30).fill('ok'));
  expect([hung.requests, healthy.requests > 600]).toEqual([requests, true]);

  hung.state = 'healthy';
  await eventually(async () => {
    await send();
    expect(hung.requests).toBeGreaterThan(requests);
  });
});

test('avoids a replica that does not respond, and tries it again later', async () => {
  const [, mute] = [await replica('replica00003'), await replica('replica00004')];
  const replicas = await callerOf(command, 'replica00003', 'replica00004');
  mute.state = 'mute';
  await eventually(() => expect(replicas.choose('issuance')?.id).toBe('replica00003'));
  await outcome(Promise.all([send(), send()]));
  expect(mute.requests).toBe(1);
  for (let i = 0; i < 20; i += 1) expect(await outcome(send())).toBe('ok');
  expect(mute.requests).toBe(1);
  monotonicMs += 60_000;
  await eventually(async () => {
    await outcome(send());
    expect(mute.requests).toBeGreaterThan(1);
  });
});

test('sends to a replica that is not ready only when no other is ready', async () => {
  const [ready, unready] = [await replica('replica00005'), await replica('replica00006')];
  unready.state = 'not ready';
  const replicas = await callerOf(command, 'replica00005', 'replica00006');
  await eventually(() =>
    expect(Array.from({ length: 10 }, () => replicas.choose('issuance')?.id)).toEqual(Array(10).fill('replica00005')),
  );
  for (let i = 0; i < 10; i += 1) expect(await outcome(send())).toBe('ok');
  expect([ready.requests, unready.requests]).toEqual([10, 0]);
  ready.state = 'not ready';
  await eventually(async () => {
    await send();
    expect(unready.requests).toBeGreaterThan(0);
  });
});

test('sends a command to another replica when the chosen one has stopped', async () => {
  const healthy = await replica('replica00007');
  const replicas = await callerOf(command, 'replica00007');
  const stopped = { id: 'replica00008', deduplicates: false, begin: () => () => undefined };
  bus = new Bus(caller, undefined, { choose: () => stopped, remove: (service, id) => replicas.remove(service, id) });
  expect(await outcome(send())).toBe('ok');
  expect(healthy.requests).toBe(1);
});

test('sends a query to another replica when one does not respond', async () => {
  const [, hung] = [await replica('replica00009', getSubject), await replica('replica00010', getSubject)];
  await callerOf(getSubject, 'replica00009', 'replica00010');
  hung.state = 'mute';
  const query = { ...getSubject, timeoutMs: 3000, reply: withdrawOffer.reply };
  const sendQuery = () => outcome(bus.request(query, { subject: offerId }, testContext()));
  expect(await Promise.all([sendQuery(), sendQuery(), sendQuery(), sendQuery()])).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(hung.requests).toBeGreaterThan(0);
});

test('waitForReplica() resolves at the first announcement, so no request goes to a hung replica', async () => {
  const [healthy, hung] = [
    await replica('replica00011', getPresencePolicy),
    await replica('replica00012', getPresencePolicy),
  ];
  hung.state = 'paused';
  const query = { ...getPresencePolicy, timeoutMs: 1000, reply: withdrawOffer.reply };
  const operator = await as('operator');
  stops.push(() => operator.close());
  for (let i = 0; i < 10; i += 1) {
    const replicas = new Replicas(operator, undefined, () => 0);
    await replicas.waitForReplica('issuance', 5000);
    expect(await outcome(new Bus(operator, undefined, replicas).request(query, {}, testContext()))).toBe('ok');
  }
  expect([healthy.requests, hung.requests]).toEqual([10, 0]);
});

test('waits for a successor until one is ready, whatever the replica itself announces', async () => {
  const ending = await as('issuance');
  stops.push(() => ending.close());
  await replica('00000001');
  const wait = (timeoutMs: number) => waitForSuccessor(ending, 'issuance', '00000001', timeoutMs);
  expect(await wait(300)).toBeUndefined();
  const successor = await replica('00000002');
  successor.state = 'not ready';
  const waiting = wait(30_000);
  await new Promise((resolve) => setTimeout(resolve, 400));
  successor.state = 'healthy';
  expect(await waiting).toBeGreaterThan(300);
  expect(await wait(30_000)).toBeLessThan(5000);
});

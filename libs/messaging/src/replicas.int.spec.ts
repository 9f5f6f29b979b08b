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
import { Bus, UncertainError } from './bus.js';
import { connectBus } from './connection.js';
import { Replicas } from './replicas.js';

const offerId = '00000000-0000-4000-8000-000000000001';
let nats: TestBus;
let caller: NatsConnection;
let bus: Bus;
let heard: Set<string>;
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
  /** Answers and announces itself; `paused`: neither, as a process does under SIGSTOP. */
  state: 'well' | 'paused' | 'mute' | 'not ready';
}

/** A replica as the broker sees it: in the queue group, addressed by its id, and announcing itself. */
async function replica(id: string, contract: Contract = withdrawOffer): Promise<Stub> {
  const stub: Stub = { requests: 0, state: 'well' };
  const connection = await as(contract.service as 'issuance');
  for (const subject of [contract.subject, addressedSubject(contract.subject, id)]) {
    connection.subscribe(subject, {
      queue: contract.service,
      callback: (_, message) => {
        stub.requests += 1;
        const { id: request } = message.json<{ id: string }>();
        if (stub.state === 'well' || stub.state === 'not ready')
          message.respond(JSON.stringify({ id: request, response: {}, isDisposed: true }));
      },
    });
  }
  const announceReplica = () =>
    stub.state !== 'paused' &&
    connection.publish(
      replicaAnnouncementSubject(contract.service),
      JSON.stringify({ replica: id, atMs: Date.now(), ready: stub.state !== 'not ready' }),
    );
  announceReplica();
  const timer = setInterval(announceReplica, 100);
  await connection.flush();
  stops.push(async () => {
    clearInterval(timer);
    await connection.close();
  });
  return stub;
}

async function callerThatKnows(contract: Contract, ...ids: string[]): Promise<Replicas> {
  heard = new Set();
  const replicas = new Replicas(caller, (_, { replica: id }) => heard.add(id));
  bus = new Bus(caller, undefined, replicas);
  replicas.choose(contract.service);
  await eventually(() => ids.every((id) => heard.has(id)));
  return replicas;
}

const command = { ...withdrawOffer, timeoutMs: 1500 };
const ask = () => bus.request(command, { offerId }, testContext());
const outcome = (request: Promise<unknown>) =>
  request.then(
    () => 'ok',
    (error: unknown) =>
      error instanceof UncertainError ? 'uncertain' : error instanceof AppError ? error.code : String(error),
  );

test('of two replicas one that hangs gets its share of what is under way and nothing after that', async () => {
  const [well, hung] = [await replica('replica00001'), await replica('replica00002')];
  await callerThatKnows(command, 'replica00001', 'replica00002');
  hung.state = 'paused';
  const outcomes = await Promise.all(
    Array.from({ length: 16 }, async () => {
      const results: string[] = [];
      while (results.length < 40) results.push(await outcome(ask()));
      return results;
    }),
  );
  const failed = outcomes.flat().filter((result) => result !== 'ok');
  // 16 callers: half of what each has under way, and no more while those wait.
  expect(failed.length).toBeLessThanOrEqual(9);
  expect(new Set(failed)).toEqual(new Set(failed.length > 0 ? ['uncertain'] : []));
  const { requests } = hung;
  expect(await Promise.all(Array.from({ length: 30 }, () => outcome(ask())))).toEqual(Array(30).fill('ok'));
  expect([hung.requests, well.requests > 600]).toEqual([requests, true]);

  hung.state = 'well';
  await eventually(async () => {
    await ask();
    expect(hung.requests).toBeGreaterThan(requests);
  }, 20_000);
});

test('a replica that announces itself and answers nothing is left out, and tried again later', async () => {
  const [, mute] = [await replica('replica00003'), await replica('replica00004')];
  const replicas = await callerThatKnows(command, 'replica00003', 'replica00004');
  mute.state = 'mute';
  await eventually(() => expect(replicas.choose('issuance')?.id).toBe('replica00003'));
  await outcome(Promise.all([ask(), ask()]));
  const { requests } = mute;
  expect(requests).toBe(1);
  for (let i = 0; i < 20; i += 1) expect(await outcome(ask())).toBe('ok');
  expect(mute.requests).toBe(requests);
  await eventually(async () => {
    await outcome(ask());
    expect(mute.requests).toBeGreaterThan(requests);
  }, 20_000);
});

test('a replica that says that it is not ready is asked only when no other is', async () => {
  const [ready, unready] = [await replica('replica00005'), await replica('replica00006')];
  unready.state = 'not ready';
  const replicas = await callerThatKnows(command, 'replica00005', 'replica00006');
  await eventually(() =>
    expect(Array.from({ length: 10 }, () => replicas.choose('issuance')?.id)).toEqual(Array(10).fill('replica00005')),
  );
  for (let i = 0; i < 10; i += 1) expect(await outcome(ask())).toBe('ok');
  expect([ready.requests, unready.requests]).toEqual([10, 0]);
  ready.state = 'not ready';
  await eventually(async () => {
    await ask();
    expect(unready.requests).toBeGreaterThan(0);
  });
});

test('a command goes to another when the one that was chosen has left: it reached no one', async () => {
  const well = await replica('replica00007');
  const replicas = await callerThatKnows(command, 'replica00007');
  const gone = { id: 'replica00008', begin: () => () => undefined };
  bus = new Bus(caller, undefined, { choose: () => gone, forget: (service, id) => replicas.forget(service, id) });
  expect(await outcome(ask())).toBe('ok');
  expect(well.requests).toBe(1);
});

test('a query that one replica does not answer is asked of the other', async () => {
  const [, hung] = [await replica('replica00009', getSubject), await replica('replica00010', getSubject)];
  await callerThatKnows(getSubject, 'replica00009', 'replica00010');
  hung.state = 'mute';
  const query = { ...getSubject, timeoutMs: 1000, reply: withdrawOffer.reply };
  const asking = () => outcome(bus.request(query, { subject: offerId }, testContext()));
  expect(await Promise.all([asking(), asking(), asking(), asking()])).toEqual(['ok', 'ok', 'ok', 'ok']);
  expect(hung.requests).toBeGreaterThan(0);
});

test('who asks once waits for the first replica that is heard, so a hung one is never asked', async () => {
  const [well, hung] = [
    await replica('replica00011', getPresencePolicy),
    await replica('replica00012', getPresencePolicy),
  ];
  hung.state = 'paused';
  const query = { ...getPresencePolicy, timeoutMs: 1000, reply: withdrawOffer.reply };
  const operator = await as('operator');
  stops.push(() => operator.close());
  for (let i = 0; i < 10; i += 1) {
    const replicas = new Replicas(operator);
    await replicas.waitForReplica('issuance', 5000);
    expect(await outcome(new Bus(operator, undefined, replicas).request(query, {}, testContext()))).toBe('ok');
  }
  expect([well.requests, hung.requests]).toEqual([10, 0]);
});

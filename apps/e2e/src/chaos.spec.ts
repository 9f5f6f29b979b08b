// Kills (kill -9) and hanging replicas under load, then the loss of all of JetStream's files: every acknowledged change
// exists exactly once.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '@holdfast/testing';
import { killAtRandom, underLoad, type Disturbance, type Oracle } from './chaos/chaos.ts';
import { checkAll } from './chaos/checks.ts';
import { hangAtRandom, type Hang } from './chaos/hangs.ts';
import { LogReceiver } from './chaos/log-receiver.fixture.ts';
import { PrivateStack } from './chaos/private-stack.ts';
import { chaosSeed } from './config.ts';
import { closeConnections } from './http.ts';
import { stack } from './under-test.ts';

const seed = chaosSeed();
const receiver = new LogReceiver(seed);
const ownStack = new PrivateStack(join(stack.home, 'chaos'), 'gateway=2,subjects=2,issuance=2,audit=2');

describe(`a stack under load (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let oracle: Oracle;
  let hangs: Hang[];
  beforeAll(async () => {
    await receiver.open();
    ownStack.settings = { OUTBOUND_ALLOW: receiver.origin };
    await ownStack.start();
  });
  afterAll(async () => {
    receiver.close();
    oracle.logConsumers?.remove();
    await ownStack.remove();
    closeConnections();
  });

  it('keeps every acknowledged change exactly once while processes are killed and replicas hang', async () => {
    const print = () => undefined;
    const disturb: Disturbance = async (load, _, customers) => {
      await killAtRandom(ownStack, { kills: 5, seed, print }, load);
      hangs = await hangAtRandom(ownStack, { hangs: 2, seed, print }, load);
      await eventually(() => {
        expect(customers.length).toBeGreaterThanOrEqual(30);
        expect(new Set(customers.flatMap((c) => c.events)).size).toBeGreaterThanOrEqual(6);
      });
    };
    oracle = await underLoad(ownStack, { seed, width: 8, print, logConsumers: { receiver } }, disturb);
    expect(await checkAll(oracle)).toEqual([]);
  });

  it('answers at least half of the requests while one of two replicas is paused or cut off', () => {
    expect(hangs).toHaveLength(2);
    for (const hang of hangs)
      expect({ ...hang, bounded: hang.failed <= hang.requests / 2 }).toEqual({ ...hang, bounded: true });
  });

  it('loses no change when the files of JetStream are deleted between stop and start', async () => {
    await ownStack.stop();
    ownStack.deleteJetStream();
    await ownStack.start();
    const { status, body } = await oracle.shop.offer();
    expect(status).toBe(201);
    oracle.customers.push({
      subject: body.subject,
      status: 'offered',
      erased: false,
      events: ['offer.created'],
      actions: [],
    });
    expect(await checkAll(oracle)).toEqual([]);
  });
});

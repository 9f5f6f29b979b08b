// kill -9, replicas that hang, in the middle of customers' lives, then the loss of all of JetStream: what was
// acknowledged is there, once.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chaos, killAtRandom, type Oracle } from './chaos/chaos.ts';
import { judge } from './chaos/checks.ts';
import { hangAtRandom, type Hang } from './chaos/hangs.ts';
import { PrivateStack } from './chaos/private-stack.ts';
import { chaosSeed } from './config.ts';
import { closeConnections } from './http.ts';
import { stack } from './under-test.ts';

const seed = chaosSeed();
const own = new PrivateStack(join(stack.home, 'chaos'), 'gateway=2,subjects=2,issuance=2,audit=2');

describe(`a storm (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let oracle: Oracle;
  let hangs: Hang[];
  beforeAll(() => own.start(), 120_000);
  afterAll(async () => {
    await own.remove();
    closeConnections();
  }, 60_000);

  it('loses nothing that was acknowledged, does nothing twice, and leaves no gap in log or feed', async () => {
    const print = () => undefined;
    const disturb: Parameters<typeof chaos>[1]['disturb'] = async (load) => {
      await killAtRandom(own, { kills: 8, seed, print }, () => load.acknowledged);
      hangs = await hangAtRandom(own, { hangs: 4, seed, print }, load);
    };
    oracle = await chaos(own, { seed, print, disturb });
    expect(oracle.customers.length).toBeGreaterThanOrEqual(30);
    expect(new Set(oracle.customers.flatMap((c) => c.events)).size).toBeGreaterThanOrEqual(6);
    expect(await judge(oracle)).toEqual([]);
  }, 300_000);

  it('leaves most requests answered while one of two replicas is paused or cut off', () => {
    for (const hang of hangs)
      expect({ ...hang, bounded: hang.failed <= hang.requests / 2 }).toEqual({ ...hang, bounded: true });
  });

  it('is outlived by everything when the files of JetStream are deleted between stop and start', async () => {
    await own.stop();
    own.loseJetStream();
    await own.start();
    const { status, body } = await oracle.shop.offer();
    expect(status).toBe(201);
    oracle.customers.push({
      subject: body.subject,
      status: 'offered',
      erased: false,
      events: ['offer.created'],
      actions: [],
    });
    expect(await judge(oracle)).toEqual([]);
  }, 240_000);
});

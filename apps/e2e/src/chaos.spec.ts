// kill -9 in the middle of a thousand offers, then the loss of all of JetStream: what was acknowledged is there, once.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { chaos, judge, type Oracle } from './chaos/chaos.ts';
import { PrivateHouse } from './chaos/private-house.ts';
import { Client } from './client.ts';
import { chaosSeed } from './config.ts';
import { closeConnections } from './http.ts';
import { house } from './under-test.ts';

const seed = chaosSeed();
const own = new PrivateHouse(join(house.home, 'chaos'));

describe(`a storm (HOLDFAST_CHAOS_SEED=${seed})`, () => {
  let oracle: Oracle;
  beforeAll(() => own.start(), 120_000);
  afterAll(async () => {
    await own.forget();
    closeConnections();
  }, 60_000);

  it('loses no offer, makes none twice, and leaves no gap in the log', async () => {
    oracle = await chaos(own, { offers: 1000, kills: 12, seed, say: () => undefined });
    expect(oracle.there.size).toBeGreaterThanOrEqual(890);
    expect(await judge(own, oracle)).toEqual([]);
  }, 300_000);

  it('is outlived by everything when the files of JetStream are deleted between stop and start', async () => {
    await own.stop();
    own.loseJetStream();
    await own.start();
    expect(await judge(own, oracle)).toEqual([]);
    const shop = new Client(own, own.app('acme', 'shop'));
    const { status, body } = await shop.offer();
    expect(status).toBe(201);
    expect((await shop.get(body.subject)).status).toBe(200);
  }, 240_000);
});

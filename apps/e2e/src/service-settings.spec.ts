// A service that is stopped and started again has the settings of now, and not those that the stack began with.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from './client.ts';
import { closeConnections } from './http.ts';
import { newClients, stack } from './under-test.ts';

const envFile = join(stack.home, '.env');
let shop: Client;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: {} }));
});
const restart = async (settings?: Record<string, string>): Promise<void> => {
  await stack.control('stop', 'issuance');
  await stack.control('start', 'issuance', settings && { settings });
};
afterAll(async () => {
  rmSync(envFile, { force: true });
  await restart();
  closeConnections();
});
/** What an offer that ends in `seconds` is answered. */
const offerOf = async (seconds: number): Promise<number> => (await shop.offer({ offerExpiresIn: seconds })).status;

it('reads the .env file again, and takes what the command sets', async () => {
  expect(await offerOf(7200)).toBe(201);
  writeFileSync(envFile, 'OFFER_MAX_SECONDS=3600\nOFFER_DEFAULT_SECONDS=3600\n');
  expect(await offerOf(7200)).toBe(201);
  await restart();
  expect([await offerOf(7200), await offerOf(3600)]).toEqual([422, 201]);
  await restart({ OFFER_MAX_SECONDS: '7200' });
  expect([await offerOf(7200), await offerOf(7201)]).toEqual([201, 422]);
});

// A service that is stopped and started again has the current settings, not those with which the stack was started.
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';

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
/** The status of an offer that expires after `seconds`. */
const statusOfOffer = async (seconds: number): Promise<number> =>
  (await shop.offer({ offerExpiresIn: seconds })).status;

it('reads .env again at its start, and prefers the settings of the start command', async () => {
  expect(await statusOfOffer(7200)).toBe(201);
  writeFileSync(envFile, 'OFFER_MAX_SECONDS=3600\nOFFER_DEFAULT_SECONDS=3600\n');
  expect(await statusOfOffer(7200)).toBe(201);
  await restart();
  expect([await statusOfOffer(7200), await statusOfOffer(3600)]).toEqual([422, 201]);
  await restart({ OFFER_MAX_SECONDS: '7200' });
  expect([await statusOfOffer(7200), await statusOfOffer(7201)]).toEqual([201, 422]);
});

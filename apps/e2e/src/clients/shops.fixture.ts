import { afterAll, beforeAll } from '@jest/globals';
import type { Client } from './client.ts';
import { closeConnections } from './http.ts';
import { newClients } from './under-test.ts';

/** Two apps of one organization, and one of another organization. */
export let shop: Client;
export let kiosk: Client;
export let elsewhere: Client;

/** Creates the apps before the tests of a file. */
export function withShops(): void {
  beforeAll(async () => {
    const [here, there] = await Promise.all([newClients({ shop: {}, kiosk: {} }), newClients({ shop: {} })]);
    ({ shop, kiosk } = here);
    elsewhere = there.shop;
  });
  afterAll(closeConnections);
}

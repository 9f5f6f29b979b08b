// Signature counters (WebAuthn Level 3 §6.1.1): one that goes back is recorded, and refused only where it means a copy.
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { eventually, SoftwareAuthenticator } from '@holdfast/testing';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { customerScopes, newClients, stack } from '../clients/under-test.ts';
import { beginSignIn, completeSignIn, newCustomer, type Customer } from './customer.fixture.ts';
import { RelyingParty } from './relying-party.fixture.ts';
import { UserAgent } from './user-agent.ts';

let shop: Client;
let auditor: Client;
let site: RelyingParty;
beforeAll(async () => {
  ({ shop, auditor } = await newClients({
    shop: { grants: customerScopes, redirectUris: ['https://shop.example/callback'] },
    auditor: { kind: 'service', grants: ['audit:read'] },
  }));
  site = await RelyingParty.of(shop.app);
});
afterAll(closeConnections);

async function signInWith({ authenticator }: Customer, counter: number) {
  const agent = new UserAgent(stack.baseUrl);
  const page = await beginSignIn(agent, (await site.begin()).url);
  return (await completeSignIn(agent, page, authenticator, { counter })).json;
}

/** Action and outcome of the records in which the customer acts. */
async function recordsOf({ subject }: Customer): Promise<string[]> {
  const events = await auditor.wholeLog({ actor: subject });
  return events.map(({ action, outcome }) => `${action} ${outcome.code ?? outcome.result}`);
}

describe('a passkey whose counter goes back', () => {
  it('signs in when it can be on several devices, or no longer counts, and the log has it', async () => {
    const synced = await newCustomer(shop, new SoftwareAuthenticator({ synced: true }));
    const bound = await newCustomer(shop);
    for (const [customer, counters] of [
      [synced, [5, 3, 5, 6]],
      [bound, [5, 0, 6]],
    ] as const)
      for (const counter of counters)
        expect(await signInWith(customer, counter)).toEqual({ redirectTo: expect.any(String) });
    const wentBack = 'passkey.counter_went_back success';
    await eventually(async () => {
      expect((await recordsOf(synced)).filter((record) => record === wentBack)).toHaveLength(2);
      expect((await recordsOf(bound)).filter((record) => record === wentBack)).toHaveLength(1);
    });
  });

  it('is refused when it is bound to one device, with a reason that the log has, and counts on later', async () => {
    const customer = await newCustomer(shop);
    await signInWith(customer, 5);
    for (const counter of [5, 2]) expect(await signInWith(customer, counter)).toEqual({ refused: 'counter_went_back' });
    expect(await signInWith(customer, 6)).toEqual({ redirectTo: expect.any(String) });
    await eventually(async () => {
      const denied = (await recordsOf(customer)).filter((r) => r === 'customer.sign_in counter_went_back');
      expect(denied).toHaveLength(2);
    });
  });
});

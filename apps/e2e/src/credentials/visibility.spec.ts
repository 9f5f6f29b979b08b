// Read your writes: a change is visible to the next read by any client through any replica (product §3).
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Client } from '../clients/client.ts';
import { closeConnections, type Problem } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';
import { inParallel, times } from '../stack/parallel.ts';

let shop: Client;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: {} }));
});
afterAll(closeConnections);

it('is tested with two gateways and two replicas of the read model', () => {
  const replicas = (name: string) => stack.demo.services.filter((s) => s.name === name && s.pid !== null).length;
  expect({ gateway: replicas('gateway'), subjects: replicas('subjects') }).toEqual({ gateway: 2, subjects: 2 });
});

describe('the next read', () => {
  it('has the customer after 201 in get and list through the other gateway, 200 times', async () => {
    const missing = await inParallel(times(200), 8, async (i) => {
      const { status, body } = await shop.offer({}, { gateway: i % 2 });
      expect(status).toBe(201);
      const [get, list] = await Promise.all([
        shop.get(body.subject, { gateway: (i + 1) % 2 }),
        shop.list({ limit: '50' }, { gateway: (i + 1) % 2 }),
      ]);
      const listed = list.status === 200 && list.body.items.some((s) => s.subject === body.subject);
      return get.status === 200 && get.body.credentials[0]?.id === body.credentialId && listed
        ? undefined
        : { i, get: get.status, list: list.status, listed };
    });
    expect(missing.filter((m) => m !== undefined)).toEqual([]);
  });

  it('does not have the customer after 204 on an erasure, 100 times', async () => {
    const present = await inParallel(times(100), 8, async (i) => {
      const { body } = await shop.offer({}, { gateway: i % 2 });
      expect((await shop.erase(body.subject, { gateway: i % 2 })).status).toBe(204);
      const [get, list] = await Promise.all([
        shop.get<Problem>(body.subject, { gateway: (i + 1) % 2 }),
        shop.list({ limit: '200' }, { gateway: (i + 1) % 2 }),
      ]);
      expect(list.status).toBe(200);
      const listed = list.body.items.some((s) => s.subject === body.subject);
      return get.body.code === 'unknown_subject' && !listed ? undefined : { i, get: get.status, listed };
    });
    expect(present.filter((t) => t !== undefined)).toEqual([]);
  });

  it('has the right counts after a further offer and a withdrawal, 50 times', async () => {
    const { body: customer } = await shop.offer();
    for (const i of times(50)) {
      const { body: offer } = await shop.offer({ subject: customer.subject }, { gateway: i % 2 });
      expect(await openOffers(customer.subject, (i + 1) % 2)).toBe(1);
      if (i % 4 !== 3) continue;
      expect((await shop.withdraw(offer.offerId, { gateway: i % 2 })).status).toBe(204);
      expect(await openOffers(customer.subject, (i + 1) % 2)).toBe(0);
    }
  });

  async function openOffers(subject: string, gateway: number): Promise<number | undefined> {
    const { body } = await shop.list({ limit: '200' }, { gateway });
    return body.items.find((s) => s.subject === subject)?.openOffers;
  }
});

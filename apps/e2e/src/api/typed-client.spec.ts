// The client whose types are those of the API reference, against a running stack: what the types promise is there.
import { afterAll, beforeAll, expect, it } from '@jest/globals';
import { apiClient, type ApiClient } from '@holdfast/api-client';
import type { Client } from '../clients/client.ts';
import { closeConnections } from '../clients/http.ts';
import { newClients, stack } from '../clients/under-test.ts';

let shop: Client;
let api: ApiClient;
beforeAll(async () => {
  ({ shop } = await newClients({ shop: {} }));
  api = apiClient({ baseUrl: stack.gateways[0]!, token: () => shop.token() });
});
afterAll(closeConnections);

it('makes an offer, reads it, lists its customer page by page, and withdraws it', async () => {
  const path = { shortId: shop.app.org };
  const offers = '/o/{shortId}/api/credentials/offers';
  const { data: offer } = await api.POST(offers, { params: { path }, body: { offerExpiresIn: 3600 } });
  await api.POST(offers, { params: { path } });
  const ofOffer = { params: { path: { ...path, offerId: offer!.offerId } } };
  expect((await api.GET(`${offers}/{offerId}`, ofOffer)).data).toMatchObject({ status: 'open' });

  const subjects: string[] = [];
  for (let token: string | undefined, hasMore = true; hasMore;) {
    const query = { limit: 1, ...(token !== undefined && { next_page_token: token }) };
    const { data: page } = await api.GET('/o/{shortId}/api/credentials/subjects', { params: { path, query } });
    subjects.push(...page!.items.map(({ subject }) => subject));
    ({ hasMore, nextPageToken: token } = page!);
  }
  expect(subjects).toHaveLength(2);
  expect(subjects).toContain(offer!.subject);

  expect((await api.DELETE(`${offers}/{offerId}`, ofOffer)).response.status).toBe(204);
  const { error, response } = await api.DELETE(`${offers}/{offerId}`, ofOffer);
  expect([response.status, error?.code]).toEqual([409, 'invalid_state']);
});

// Specification §2, §4.2, §4.3 and §4.4: listing, reading and erasing the customers of an app.
import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { type Problem, type Reply } from '../clients/http.ts';
import { elsewhere, kiosk, shop, withShops } from '../clients/shops.fixture.ts';

const instant = expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/);

withShops();

describe('the fields of the specification', () => {
  it('are those of a full customer, and no others', async () => {
    const { body: offer } = await shop.offer();
    const { status, body } = await shop.get(offer.subject);
    expect(status).toBe(200);
    expect(body).toEqual({
      subject: offer.subject,
      claimed: false,
      credentials: [
        {
          id: offer.credentialId,
          credentialType: 'customer',
          status: 'offered',
          revocable: true,
          holderId: offer.subject,
          createdAt: instant,
        },
      ],
    });
  });

  it('are those of a customer in a list, and no others', async () => {
    const { body: offer } = await shop.offer();
    const { status, body } = await shop.list({ limit: '1' });
    expect(status).toBe(200);
    expect(body.items).toEqual([
      { subject: offer.subject, claimed: false, credentials: 1, live: 0, openOffers: 1, createdAt: instant },
    ]);
    expect(Math.abs(Date.parse(body.items[0]!.createdAt) - Date.now())).toBeLessThan(30_000);
  });

  it('include nextPageToken only when there are further pages', async () => {
    await Promise.all([shop.offer(), shop.offer()]);
    const { body: first } = await shop.list({ limit: '1' });
    expect(Object.keys(first).sort()).toEqual(['hasMore', 'items', 'nextPageToken']);
    expect(first.hasMore).toBe(true);
    const { body: whole } = await kiosk.list();
    expect(whole).toEqual({ items: [], hasMore: false });
  });

  it('include expiresAt of an offered credential only when the offer has fixed it', async () => {
    const { body: offer } = await shop.offer({ validUntil: '2040-01-01T00:00:00Z' });
    expect((await shop.get(offer.subject)).body.credentials[0]).toMatchObject({
      status: 'offered',
      expiresAt: '2040-01-01T00:00:00.000Z',
    });
    const { body: open } = await shop.offer({});
    expect((await shop.get(open.subject)).body.credentials[0]).not.toHaveProperty('expiresAt');
  });

  it('may not be cached', async () => {
    const { headers } = await shop.list();
    expect(headers['cache-control']).toBe('no-store');
  });
});

describe('visibility', () => {
  it("is the same for another app's customer and an unknown one: 404, and absent from the list", async () => {
    const { body } = await shop.offer();
    for (const client of [kiosk, elsewhere]) {
      const same = { headers: { 'x-request-id': 'same' } };
      for (const call of ['get', 'erase'] as const) {
        const [foreign, absent] = (await Promise.all(
          [body.subject, randomUUID()].map((id) => client[call](id, same)),
        )) as [Reply, Reply];
        expect(foreign).toMatchObject({ status: 404, body: { code: 'unknown_subject' } });
        expect(foreign.body).toEqual(absent.body);
      }
      expect((await client.all()).map((s) => s.subject)).not.toContain(body.subject);
    }
    expect((await shop.get(body.subject)).status).toBe(200);
  });

  it('of its own customers does not depend on the token of the app', async () => {
    const { body } = await shop.with('offers:write').offer();
    expect((await shop.with('issued:read').get(body.subject)).status).toBe(200);
  });
});

describe('erasing', () => {
  it('removes the customer from get, list and withdraw at once, and succeeds once', async () => {
    const { body } = await shop.offer();
    const erased = await shop.erase(body.subject);
    expect({ status: erased.status, text: erased.text }).toEqual({ status: 204, text: '' });
    expect((await shop.get<Problem>(body.subject)).body.code).toBe('unknown_subject');
    expect((await shop.list({ limit: '200' })).body.items.map((s) => s.subject)).not.toContain(body.subject);
    expect((await shop.withdraw(body.offerId)).status).toBe(404);
    expect((await shop.erase(body.subject)).body.code).toBe('unknown_subject');
  });

  it('succeeds once of ten concurrent requests', async () => {
    const { body } = await shop.offer();
    const statuses = await Promise.all(
      Array.from({ length: 10 }, async (_, i) => (await shop.erase(body.subject, { gateway: i % 2 })).status),
    );
    expect(statuses.sort()).toEqual([204, ...Array.from({ length: 9 }, () => 404)]);
  });

  it('ignores a body', async () => {
    const { body } = await shop.offer();
    expect((await shop.erase(body.subject, { json: { anything: true } })).status).toBe(204);
    expect((await shop.get(body.subject)).status).toBe(404);
  });

  it('requires issued:manage', async () => {
    const { body } = await shop.offer();
    expect(await shop.with('offers:write', 'issued:read').erase(body.subject)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
    expect((await shop.get(body.subject)).status).toBe(200);
  });
});

describe('the identifier in the path', () => {
  it('may be in capital letters', async () => {
    const { body } = await shop.offer();
    expect((await shop.get(body.subject.toUpperCase())).body.subject).toBe(body.subject);
    expect((await shop.erase(body.subject.toUpperCase())).status).toBe(204);
    expect((await shop.get(body.subject)).status).toBe(404);
  });

  it.each(['00000000-0000-0000-0000-000000000000', 'ffffffff-ffff-ffff-ffff-ffffffffffff', randomUUID()])(
    '%s is 404 when it is unknown',
    async (id) => {
      expect(await shop.get<Problem>(id)).toMatchObject({ status: 404, body: { code: 'unknown_subject' } });
    },
  );

  const garbage = [
    'x',
    '1',
    '-1',
    'null',
    'me',
    '*',
    '%2A',
    '00000000000000000000000000000000',
    '00000000-0000-0000-0000-00000000000g',
    '%7B00000000-0000-0000-0000-000000000000%7D',
    "'%20OR%20'1'='1",
    '%00',
    '%0a',
    '%f0%9f%92%a9',
    'a'.repeat(500),
  ];
  it.each(garbage)('%s is 400 or 404', async (id) => {
    for (const call of ['get', 'erase'] as const) {
      const { status, body } = await (call === 'get' ? shop.get<Problem>(id) : shop.erase(id));
      const parameters = body.errors?.map((e) => e.parameter).join() ?? '';
      expect(['400 invalid_request subject', '404 unknown_subject ']).toContain(`${status} ${body.code} ${parameters}`);
    }
  });
});

describe('the parameters of the list', () => {
  beforeAll(async () => void (await Promise.all(Array.from({ length: 55 }, () => shop.offer()))));

  it.each([
    ['', 50],
    ['limit=1', 1],
    ['limit=2', 2],
    ['limit=51', 51],
  ])('%j returns %d of many', async (query, count) => {
    const { body } = await shop.list(query);
    expect(body.items).toHaveLength(count);
    expect(body.hasMore).toBe(true);
  });

  it('limit=200 is accepted', async () => expect((await shop.list('limit=200')).status).toBe(200));

  const limits = [
    '0',
    '201',
    '-1',
    '1.5',
    '1.0',
    'abc',
    '',
    '%20',
    '+5',
    '%2B5',
    '%205',
    '5%20',
    '05',
    '0x10',
    '1e2',
    '1000000000000000000000',
    'NaN',
    'Infinity',
    'null',
    'true',
    '1,2',
    '%D9%A3',
    "1'--",
    '5%00',
  ];
  it.each([
    ...limits.map((l) => `limit=${l}`),
    'limit',
    'limit=5&limit=5',
    'limit=5&limit=6',
    'limit[]=5',
    'limit[gt]=5',
    'Limit=5',
  ])('%s is 400', async (query) => {
    await expectRejected(
      query,
      query.startsWith('limit[') || query.startsWith('Limit') ? /^(limit\[|Limit)/ : /^limit$/,
    );
  });

  const claimed = ['TRUE', 'True', '1', '0', '', 'yes', 'null', '%20true', 'true%20', 'true,false', "true'--"];
  it.each([
    ...claimed.map((c) => `claimed=${c}`),
    'claimed',
    'claimed=true&claimed=true',
    'claimed=true&claimed=false',
    'claimed[]=true',
  ])('%s is 400', async (query) => {
    await expectRejected(query, /^claimed/);
  });

  it.each([
    'foo=bar',
    'constructor=1',
    '__proto__=1',
    'toString=1',
    'page=2',
    'offset=5',
    'cursor=x',
    'nextPageToken=x',
    'subject=x',
    'org=globex',
    'app=x',
    'client_id=x',
    'access_token=x',
    '=x',
    'limit=5&foo=bar',
    '%6cimit2=5',
  ])('the unknown parameter in %s is 400', async (query) => expectRejected(query, /^/));

  it('may have an escaped name', async () => {
    expect((await shop.list('%6cimit=1')).body.items).toHaveLength(1);
  });

  it('claimed filters by whether the customer has claimed', async () => {
    const unclaimed = await shop.all({ claimed: 'false' });
    expect(unclaimed).toEqual(await shop.all());
    expect((await shop.list({ claimed: 'true' })).body).toEqual({ items: [], hasMore: false });
  });

  async function expectRejected(query: string, parameter: RegExp): Promise<void> {
    const { status, body } = await shop.list<Problem>(query);
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.errors?.[0]?.parameter).toMatch(parameter);
  }
});

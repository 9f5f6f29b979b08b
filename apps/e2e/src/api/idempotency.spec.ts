// Idempotency-Key (draft-ietf-httpapi-idempotency-key-header): repeating a request is safe, also across gateways.
import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { Offer } from '@holdfast/contracts';
import type { CallOptions, Client } from '../clients/client.ts';
import { closeConnections, type Problem, type Reply } from '../clients/http.ts';
import { newClients } from '../clients/under-test.ts';

let shop: Client;
let kiosk: Client;
beforeAll(async () => {
  ({ shop, kiosk } = await newClients({ shop: {}, kiosk: {} }));
});
afterAll(closeConnections);

const withKey = (key: string | string[], options: CallOptions = {}): CallOptions => ({
  ...options,
  headers: { 'idempotency-key': key },
});
const count = async (client: Client) => (await client.all()).length;

describe('a repeated request', () => {
  it('has the same response through any gateway, and changes nothing', async () => {
    const key = randomUUID();
    const first = await shop.offer({ offerExpiresIn: 900 }, withKey(key, { gateway: 0 }));
    const before = await count(shop);
    for (const gateway of [0, 1]) {
      const again = await shop.offer({ offerExpiresIn: 900 }, withKey(key, { gateway }));
      expect(again.status).toBe(201);
      expect(again.text).toBe(first.text);
      expect(again.headers.location).toBe(first.headers.location);
      expect(again.headers['idempotency-replayed']).toBe('true');
    }
    expect(first.headers['idempotency-replayed']).toBeUndefined();
    expect(await count(shop)).toBe(before);
  });

  it('is recognized with a quoted key and with another order of members', async () => {
    const key = randomUUID();
    const { body } = await shop.offer({ offerExpiresIn: 900, credentialType: 'customer' }, withKey(key));
    expect((await shop.offer({ credentialType: 'customer', offerExpiresIn: 900 }, withKey(`"${key}"`))).body).toEqual(
      body,
    );
  });

  it('is recognized with {} and with an empty body', async () => {
    const key = randomUUID();
    const { body } = await shop.offer({}, withKey(key));
    expect((await shop.offer(undefined, { body: '', ...withKey(key) })).body).toEqual(body);
  });

  it('has the same response after the offer was withdrawn', async () => {
    const key = randomUUID();
    const { body } = await shop.offer({}, withKey(key));
    await shop.withdraw(body.offerId);
    expect((await shop.offer({}, withKey(key))).body).toEqual(body);
  });

  it('is 422 with another body', async () => {
    const key = randomUUID();
    await shop.offer({ offerExpiresIn: 900 }, withKey(key));
    const before = await count(shop);
    for (const json of [{ offerExpiresIn: 901 }, {}, { offerExpiresIn: 900, credentialType: 'customer' }]) {
      expect(await shop.offer<Problem>(json, withKey(key))).toMatchObject({
        status: 422,
        body: { code: 'idempotency_mismatch' },
      });
    }
    expect(await count(shop)).toBe(before);
  });

  it('is 409 after the customer was erased', async () => {
    const key = randomUUID();
    const { body } = await shop.offer({}, withKey(key));
    expect((await shop.erase(body.subject)).status).toBe(204);
    const before = await count(shop);
    for (const json of [{}, { offerExpiresIn: 900 }]) {
      const { status, body: problem, text } = await shop.offer<Problem>(json, withKey(key));
      expect({ status, code: problem.code }).toEqual({ status: 409, code: 'conflict' });
      expect(text).not.toContain(body.subject);
    }
    expect(await count(shop)).toBe(before);
  });

  it('of a further offer has the same response, and makes no other offer', async () => {
    const key = randomUUID();
    const { body: customer } = await shop.offer();
    const first = await shop.offer({ subject: customer.subject }, withKey(key));
    const again = await shop.offer({ subject: customer.subject }, withKey(key));
    expect(again.text).toBe(first.text);
    expect(again.headers['idempotency-replayed']).toBe('true');
    expect((await shop.withdraw(first.body.offerId)).status).toBe(204);
  });
});

describe('concurrent requests with one key', () => {
  it.each([1, 2, 3])('make one offer (round %d)', async () => {
    const key = randomUUID();
    const before = await count(shop);
    const replies: Reply<Offer & Problem>[] = await Promise.all(
      Array.from({ length: 10 }, (_, i) => shop.offer<Offer & Problem>({}, withKey(key, { gateway: i % 2 }))),
    );
    const created = replies.filter((a) => a.status === 201);
    expect(new Set(created.map((a) => a.text)).size).toBe(1);
    for (const { status, body, headers } of replies.filter((a) => a.status !== 201)) {
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' });
      expect(headers['retry-after']).toMatch(/^\d+$/);
    }
    expect(created.filter((a) => !a.headers['idempotency-replayed'])).toHaveLength(1);
    expect((await shop.offer({}, withKey(key))).text).toBe(created[0]!.text);
    expect(await count(shop)).toBe(before + 1);
  });

  it('to one customer make one further offer', async () => {
    const key = randomUUID();
    const { body: customer } = await shop.offer();
    const replies = await Promise.all(
      Array.from({ length: 10 }, (_, i) =>
        shop.offer<Offer & Problem>({ subject: customer.subject }, withKey(key, { gateway: i % 2 })),
      ),
    );
    const created = replies.filter((a) => a.status === 201);
    expect(created.length).toBeGreaterThan(0);
    expect(new Set(created.map((a) => a.text)).size).toBe(1);
    for (const { status, body } of replies.filter((a) => a.status !== 201))
      expect({ status, code: body.code }).toEqual({ status: 409, code: 'idempotency_in_progress' });
  });
});

describe('a change of state', () => {
  it('is made once for each key through any gateway, and marks a replayed response', async () => {
    const { body: offer } = await shop.offer();
    const steps: [string, (gateway: number) => Promise<Reply<unknown>>][] = [
      ['revoke', (gateway) => shop.manage('revoke', offer.credentialId, 'lost', withKey('r', { gateway }))],
      ['erase', (gateway) => shop.erase(offer.subject, withKey('e', { gateway }))],
    ];
    for (const [what, send] of steps) {
      const [first, repeat] = [await send(0), await send(1)];
      expect([
        what,
        first.status,
        first.headers['idempotency-replayed'],
        repeat.status,
        repeat.text,
        repeat.headers['idempotency-replayed'],
      ]).toEqual([what, what === 'erase' ? 204 : 200, undefined, first.status, first.text, 'true']);
    }
    // The erasure has deleted the stored response.
    expect(await shop.manage('revoke', offer.credentialId, 'lost', withKey('r'))).toMatchObject({
      status: 409,
      body: { code: 'conflict' },
    });
  });

  it('is 422 when the key belongs to another kind of request', async () => {
    const key = randomUUID();
    const { body } = await shop.offer({}, withKey(key));
    expect(await shop.withdraw(body.offerId, withKey(key))).toMatchObject({
      status: 422,
      body: { code: 'idempotency_mismatch' },
    });
    expect((await shop.withdraw(body.offerId)).status).toBe(204);
  });
});

describe('a key', () => {
  it('belongs to one app', async () => {
    const key = randomUUID();
    const { body: mine } = await shop.offer({}, withKey(key));
    const { body: other, headers } = await kiosk.offer({}, withKey(key));
    expect(other.subject).not.toBe(mine.subject);
    expect(headers['idempotency-replayed']).toBeUndefined();
  });

  it('is not consumed by a rejected request', async () => {
    const key = randomUUID();
    expect((await shop.offer<Problem>({ offerExpiresIn: 1 }, withKey(key))).status).toBe(422);
    expect((await shop.offer<Problem>({ subject: randomUUID() }, withKey(key))).status).toBe(404);
    expect((await shop.offer({}, withKey(key))).status).toBe(201);
  });

  it.each([
    ['empty', ''],
    ['empty in quotes', '""'],
    ['of spaces', '"   "'],
    ['longer than 255 characters', 'a'.repeat(256)],
    ['not ASCII', Buffer.from('schlüssel').toString('latin1')],
    ['with a tab', 'a\tb'],
    ['given twice', ['a', 'b']],
    ['given twice alike', ['a', 'a']],
  ])('is 400 when it is %s', async (_, key) => {
    const { status, body } = await shop.offer<Problem>({}, withKey(key));
    expect({ status, code: body.code }).toEqual({ status: 400, code: 'invalid_request' });
    expect(body.errors?.[0]?.header?.toLowerCase()).toBe('idempotency-key');
  });

  it.each(['a', 'a'.repeat(255), "x'); DROP TABLE idempotency; --", '{"a":1}', '"with \\"quotes\\" and \\\\"'])(
    'may be %s',
    async (key) => {
      const { status, body } = await kiosk.offer({}, withKey(key));
      expect(status).toBe(201);
      expect((await kiosk.offer({}, withKey(key))).body).toEqual(body);
    },
  );
});

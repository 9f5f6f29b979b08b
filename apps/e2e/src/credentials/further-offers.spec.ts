// Further offers to a customer, and withdrawn offers.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import type { Client } from '../clients/client.ts';
import { type Problem } from '../clients/http.ts';
import { elsewhere, kiosk, shop, withShops } from '../clients/shops.fixture.ts';

withShops();

const summaryOf = async (client: Client, subject: string) => (await client.all()).find((s) => s.subject === subject);

describe('a further offer', () => {
  it('supersedes the open one: same customer, same credential, another link', async () => {
    const { body: first } = await shop.offer();
    const { status, body: second, headers } = await shop.offer({ subject: first.subject });
    expect(status).toBe(201);
    expect(second).toMatchObject({ subject: first.subject, credentialId: first.credentialId });
    expect(second.offerId).not.toBe(first.offerId);
    expect(second.claimUrl).not.toBe(first.claimUrl);
    expect(headers.location).toBe(`/o/${shop.app.org}/api/credentials/subjects/${first.subject}`);
    expect(await summaryOf(shop, first.subject)).toMatchObject({
      credentials: 1,
      openOffers: 1,
      live: 0,
      claimed: false,
    });
    expect((await shop.withdraw(first.offerId)).body.code).toBe('invalid_state');
  });

  it('accepts the subject in capital letters', async () => {
    const { body } = await shop.offer();
    const { body: second } = await shop.offer({ subject: body.subject.toUpperCase() });
    expect(second.subject).toBe(body.subject);
  });

  it('does not move the customer to the top of the list', async () => {
    const { body: older } = await shop.offer();
    const { body: newer } = await shop.offer();
    await shop.offer({ subject: older.subject });
    const [first, second] = (await shop.list({ limit: '2' })).body.items;
    expect([first?.subject, second?.subject]).toEqual([newer.subject, older.subject]);
  });

  it('requires issued:manage as well', async () => {
    const { body } = await shop.offer();
    const {
      status,
      body: problem,
      headers,
    } = await shop.with('offers:write').offer<Problem>({ subject: body.subject });
    expect({ status, code: problem.code }).toEqual({ status: 403, code: 'insufficient_scope' });
    expect(headers['www-authenticate']).toMatch(/error="insufficient_scope".*scope="[^"]*issued:manage/);
    expect((await shop.with('offers:write', 'issued:read').offer({ subject: body.subject })).status).toBe(403);
    expect((await shop.with('offers:write', 'issued:manage').offer({ subject: body.subject })).status).toBe(201);
    expect((await shop.with('offers:write').offer({})).status).toBe(201);
    // The scope is checked before the input.
    expect((await shop.with('offers:write').offer<Problem>({ subject: 'none', offerExpiresIn: -1 })).body.code).toBe(
      'insufficient_scope',
    );
  });

  it("answers 404 alike for another app's customer and for an unknown one", async () => {
    const { body } = await shop.offer();
    const subjects = { mine: body.subject, none: randomUUID() };
    for (const client of [kiosk, elsewhere]) {
      const { status, body: foreign } = await client.offer<Problem>(
        { subject: subjects.mine },
        { headers: { 'x-request-id': 'same' } },
      );
      const { body: absent } = await client.offer<Problem>(
        { subject: subjects.none },
        { headers: { 'x-request-id': 'same' } },
      );
      expect({ status, code: foreign.code }).toEqual({ status: 404, code: 'unknown_subject' });
      expect(foreign).toEqual(absent);
    }
    expect(await summaryOf(shop, body.subject)).toMatchObject({ openOffers: 1 });
    expect(await summaryOf(kiosk, body.subject)).toBeUndefined();
  });

  it('answers 404 for an erased customer', async () => {
    const { body } = await shop.offer();
    await shop.erase(body.subject);
    expect((await shop.offer<Problem>({ subject: body.subject })).body.code).toBe('unknown_subject');
  });

  it('creates a new credential when the first one was withdrawn', async () => {
    const { body: first } = await shop.offer();
    await shop.withdraw(first.offerId);
    const { body: second } = await shop.offer({ subject: first.subject });
    expect(second.credentialId).not.toBe(first.credentialId);
    expect(await summaryOf(shop, first.subject)).toMatchObject({ credentials: 2, openOffers: 1, live: 0 });
    const { body: full } = await shop.get(first.subject);
    expect(full.credentials.map(({ id, status }) => ({ id, status }))).toEqual(
      expect.arrayContaining([
        { id: first.credentialId, status: 'revoked' },
        { id: second.credentialId, status: 'offered' },
      ]),
    );
  });

  it('leaves one open offer when twenty are made concurrently', async () => {
    const { body } = await shop.offer();
    const statuses = await Promise.all(
      Array.from({ length: 20 }, async () => (await shop.offer({ subject: body.subject })).status),
    );
    expect(new Set(statuses)).toEqual(new Set([201]));
    expect(await summaryOf(shop, body.subject)).toMatchObject({ credentials: 1, openOffers: 1 });
  });
});

describe('withdrawing an offer', () => {
  it('ends the offer, and revokes the credential that nobody has claimed', async () => {
    const { body } = await shop.offer();
    const { status, text } = await shop.withdraw(body.offerId);
    expect({ status, text }).toEqual({ status: 204, text: '' });
    const { body: full } = await shop.get(body.subject);
    expect(full).toMatchObject({
      claimed: false,
      credentials: [
        { id: body.credentialId, status: 'revoked', revokedReason: 'withdrawn', revokedAt: expect.any(String) },
      ],
    });
    expect(await summaryOf(shop, body.subject)).toMatchObject({ credentials: 1, openOffers: 0, live: 0 });
  });

  it('succeeds once, and answers 409 to concurrent and later requests', async () => {
    const { body } = await shop.offer();
    const statuses = await Promise.all(
      [0, 1, 0, 1].map(async (gateway) => (await shop.withdraw(body.offerId, { gateway })).status),
    );
    expect(statuses.sort()).toEqual([204, 409, 409, 409]);
    expect(await shop.withdraw(body.offerId)).toMatchObject({ status: 409, body: { code: 'invalid_state' } });
  });

  it("answers 404 alike for another app's offer and for an unknown one", async () => {
    const { body } = await shop.offer();
    for (const client of [kiosk, elsewhere]) {
      const [foreign, absent] = await Promise.all(
        [body.offerId, randomUUID()].map((id) => client.withdraw(id, { headers: { 'x-request-id': 'same' } })),
      );
      expect(foreign).toMatchObject({ status: 404, body: { code: 'unknown_offer' } });
      expect(foreign!.body).toEqual(absent!.body);
    }
    expect(await summaryOf(shop, body.subject)).toMatchObject({ openOffers: 1 });
  });

  it('answers 404 when the customer was erased', async () => {
    const { body } = await shop.offer();
    await shop.erase(body.subject);
    expect(await shop.withdraw(body.offerId)).toMatchObject({ status: 404, body: { code: 'unknown_offer' } });
  });

  it('answers 404 for the identifier of a customer or a credential', async () => {
    const { body } = await shop.offer();
    expect((await shop.withdraw(body.subject)).status).toBe(404);
    expect((await shop.withdraw(body.credentialId)).status).toBe(404);
  });

  it.each(['x', '1', 'null', 'undefined', '00000000-0000-0000-0000-00000000000g', '%00', "'--", 'a'.repeat(300)])(
    'rejects the identifier %s',
    async (id) => {
      const { status, body } = await shop.withdraw(id);
      expect([400, 404]).toContain(status);
      expect(['invalid_request', 'unknown_offer', 'not_found']).toContain(body.code);
    },
  );

  it('requires offers:write', async () => {
    const { body } = await shop.offer();
    expect(await shop.with('issued:read', 'issued:manage').withdraw(body.offerId)).toMatchObject({
      status: 403,
      body: { code: 'insufficient_scope' },
    });
  });
});

// product §5: an app reads its own offers, and never sees a claim link again.
import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { type Problem } from '../clients/http.ts';
import { elsewhere, kiosk, shop, withShops } from '../clients/shops.fixture.ts';

withShops();

describe('GET …/credentials/offers/{offerId}', () => {
  it('shows an open offer as it was made, without its claim link', async () => {
    const { body: made } = await shop.offer();
    const { status, body, text, headers } = await shop.getOffer(made.offerId);
    const { claimUrl, ...offer } = made;
    expect({ status, body }).toEqual({
      status: 200,
      body: { ...offer, status: 'open', createdAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT[\d:.]{12}Z$/) },
    });
    expect(text).not.toContain(claimUrl.split('#')[1]);
    expect(headers['cache-control']).toBe('no-store');
  });

  it('shows what has become of it: superseded, then withdrawn', async () => {
    const { body: first } = await shop.offer();
    const { body: second } = await shop.offer({ subject: first.subject });
    await shop.withdraw(second.offerId);
    const states = await Promise.all([first, second].map(async ({ offerId }) => (await shop.getOffer(offerId)).body));
    expect(states.map(({ status }) => status)).toEqual(['superseded', 'withdrawn']);
  });

  it('shows a withdrawal to the next read through any gateway', async () => {
    for (let i = 0; i < 20; i += 1) {
      const { body } = await shop.offer();
      await shop.withdraw(body.offerId);
      const { status } = (await shop.getOffer(body.offerId)).body;
      expect(status).toBe('withdrawn');
    }
  });

  it.each([
    ['another app of the organization', () => kiosk],
    ['an app of another organization', () => elsewhere],
  ])('answers 404 to %s', async (_, client) => {
    const { body } = await shop.offer();
    const reply = await client().getOffer<Problem>(body.offerId);
    expect([reply.status, reply.body.code]).toEqual([404, 'unknown_offer']);
  });

  it('answers 404 for an unknown id and after the erasure of the customer', async () => {
    const { body } = await shop.offer();
    await shop.erase(body.subject);
    for (const id of [randomUUID(), body.offerId, body.subject])
      expect((await shop.getOffer<Problem>(id)).body.code).toBe('unknown_offer');
  });

  it.each(['x', '%00', '..%2f', "'--", `${randomUUID()}0`])('answers 400 for the malformed id %j', async (id) => {
    const { status, body } = await shop.getOffer<Problem>(id);
    expect([status, body.code]).toEqual([400, 'invalid_request']);
  });

  it('needs issued:read: the scope of a sign-up form is not enough', async () => {
    const { body } = await shop.offer();
    const reply = await shop.with('offers:write').getOffer<Problem>(body.offerId);
    expect([reply.status, reply.body.code]).toEqual([403, 'insufficient_scope']);
  });
});

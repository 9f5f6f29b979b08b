import { describe, expect, it } from '@jest/globals';
import { eraseSubject, getOffer, suspendCredential, withdrawOffer, type RequestContext } from '@holdfast/contracts';
import { testContext } from '@holdfast/testing';
import { clock, customers, errorWith, stack, start, withIssuance } from '../customers.fixture.js';

describe('get-offer', () => {
  withIssuance();

  const read = (offerId: string, context: RequestContext = testContext()) =>
    stack.gateway.request(getOffer, { offerId }, context);
  const statusOf = async (offerId: string) => (await read(offerId)).status;

  it('returns an open offer with its customer, credential and times, and no claim link', async () => {
    const { token, claimUrl: _, ...offer } = await customers.offer();
    const found = await read(offer.offerId);
    expect(found).toEqual({ ...offer, status: 'open', createdAt: start });
    expect(JSON.stringify(found)).not.toContain(token);
  });

  it('returns "claimed" after the claim', async () => {
    const { offerId } = await customers.new();
    expect(await statusOf(offerId)).toBe('claimed');
  });

  it('returns "withdrawn" after a withdrawal and after a suspension', async () => {
    const offer = await customers.offer();
    await stack.gateway.request(withdrawOffer, { offerId: offer.offerId }, testContext());
    const customer = await customers.new();
    const recovery = await customers.offer({ subject: customer.subject });
    await stack.gateway.request(suspendCredential, { id: customer.credentialId }, testContext());
    expect([await statusOf(offer.offerId), await statusOf(recovery.offerId)]).toEqual(['withdrawn', 'withdrawn']);
  });

  it('returns "superseded" after a further offer of the same type', async () => {
    const first = await customers.offer();
    const second = await customers.offer({ subject: first.subject });
    expect([await statusOf(first.offerId), await statusOf(second.offerId)]).toEqual(['superseded', 'open']);
  });

  it('returns "expired" from the moment of its expiration on, but "claimed" after a claim', async () => {
    const { offerId, expiresAt } = await customers.offer({ offerExpiresIn: 600 });
    const claimed = await customers.new({ offerExpiresIn: 600 });
    clock.set(new Date(Date.parse(expiresAt) - 1).toISOString());
    expect(await statusOf(offerId)).toBe('open');
    clock.set(expiresAt);
    expect([await statusOf(offerId), await statusOf(claimed.offerId)]).toEqual(['expired', 'claimed']);
  });

  it('answers unknown_offer to another app, to another organization, and after the erasure', async () => {
    const { offerId, subject } = await customers.offer();
    const unknown = errorWith('unknown_offer');
    await expect(read(offerId, testContext({ actor: { type: 'app', id: 'another-app' } }))).rejects.toEqual(unknown);
    await expect(read(offerId, testContext({ org: 'globex' }))).rejects.toEqual(unknown);
    await stack.gateway.request(eraseSubject, { subject }, testContext());
    await expect(read(offerId)).rejects.toEqual(unknown);
  });
});

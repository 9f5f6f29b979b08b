import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { withdrawOffer } from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext, type CeremonyOptions } from '@holdfast/testing';
import { clock, codesOf, customers, errorWith, globex, stack, start, withIssuance } from '../customers.fixture.js';

const minutes = (n: number) => n * 60_000;

describe('a claim', () => {
  withIssuance();

  it('issues the credential, stores the passkey and emits one event with the customer as actor', async () => {
    const { token, subject, credentialId, offerId } = await customers.offer({ validUntil: '2027-01-01T00:00:00Z' });
    await expect(customers.getClaim(token)).resolves.toEqual({
      state: 'open',
      credentialType: { name: 'customer', display: 'Customer', only: true },
      recovery: false,
      expiresAt: '2026-11-24T09:00:00.000Z',
    });
    const authenticator = new SoftwareAuthenticator({ aaguid: 'd548826e-79b4-db40-a3d8-11116f7e8349', synced: true });
    await expect(customers.claim(token, authenticator)).resolves.toEqual({ subject });
    const [, event] = customers.eventsOf(subject);
    expect(event).toMatchObject({
      type: 'credential.issued',
      version: 2,
      audit: { action: 'credential.claim', actor: { type: 'customer', id: subject }, outcome: { result: 'success' } },
    });
    expect(event!.audit!.targets.map((t) => [t.type, t.id, t.dataSubject])).toEqual([
      ['customer', subject, subject],
      ['credential', credentialId, subject],
      ['offer', offerId, subject],
    ]);
    expect(event!.state!.credentials[0]).toMatchObject({
      status: 'issued',
      issuedAt: start,
      holderClaimedAt: start,
      holderApp: 'Bitwarden',
      expiresAt: '2027-01-01T00:00:00.000Z',
    });
    expect(authenticator.passkeys[0]).toMatchObject({
      rpId: 'localhost',
      userName: expect.stringMatching(/^Acme · [0-9A-Z]{4}$/),
    });
    expect(JSON.stringify(authenticator.passkeys)).not.toContain(subject);
    await expect(customers.getClaim(token)).resolves.toMatchObject({ state: 'claimed' });
    await expect(customers.beginClaim(token)).rejects.toEqual(errorWith('claim_spent'));
  });

  it('succeeds for one of fifty concurrent authenticators and answers the others claim_spent', async () => {
    const { token, subject } = await customers.offer();
    const responses = await Promise.all(Array.from({ length: 50 }, () => customers.register(token)));
    const results = await Promise.allSettled(responses.map((response) => customers.complete(token, response)));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    expect(codesOf(results)).toEqual(Array.from({ length: 49 }, () => 'claim_spent'));
    expect(await stack.database.query('SELECT 1 FROM issuance.passkey WHERE subject = $1', [subject])).toHaveLength(1);
    expect(customers.typesOf(subject)).toEqual(['offer.created', 'credential.issued']);
  });

  it('is rejected at each step of an offer that has expired or is withdrawn, also during the ceremony', async () => {
    const { token } = await customers.offer({ offerExpiresIn: 600 });
    clock.advance(minutes(9));
    const response = await customers.register(token);
    clock.advance(minutes(1));
    await expect(customers.complete(token, response)).rejects.toEqual(errorWith('claim_expired'));
    await expect(customers.beginClaim(token)).rejects.toEqual(errorWith('claim_expired'));
    await expect(customers.getClaim(token)).resolves.toMatchObject({ state: 'expired' });

    const second = await customers.offer();
    const secondResponse = await customers.register(second.token);
    await stack.gateway.request(withdrawOffer, { offerId: second.offerId }, testContext());
    await expect(customers.complete(second.token, secondResponse)).rejects.toEqual(errorWith('claim_withdrawn'));
    await expect(customers.beginClaim(second.token)).rejects.toEqual(errorWith('claim_withdrawn'));
    await expect(customers.getClaim(second.token)).resolves.toMatchObject({ state: 'withdrawn' });
  });

  it.each<[string, Partial<CeremonyOptions>]>([
    ['another origin', { origin: 'https://evil.example' }],
    ['another RP ID', { rpId: 'evil.example' }],
    ['an unverified user', { userVerified: false }],
  ])('is rejected with %s, and its response is consumed', async (_, ceremony) => {
    const { token, subject } = await customers.offer();
    const response = await customers.register(token, new SoftwareAuthenticator(), ceremony);
    await expect(customers.complete(token, response)).rejects.toEqual(errorWith('passkey_invalid'));
    await expect(customers.complete(token, response)).rejects.toEqual(errorWith('ceremony_expired'));
    expect(customers.eventsOf(subject)).toHaveLength(1);
    await expect(customers.claim(token)).resolves.toEqual({ subject });
  });

  it('accepts a response for its own offer only, once, within five minutes', async () => {
    const [one, two] = [await customers.offer(), await customers.offer()];
    const response = await customers.register(one.token);
    await expect(customers.complete(two.token, response)).rejects.toEqual(errorWith('ceremony_expired'));
    clock.advance(minutes(5));
    await expect(customers.complete(one.token, response)).rejects.toEqual(errorWith('ceremony_expired'));
    const late = await customers.register(one.token);
    clock.advance(minutes(5) - 1);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => customers.complete(one.token, late)));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
  });

  it('is rejected for a token of another organization, and for a passkey that is registered already', async () => {
    const { token } = await customers.offer();
    for (const step of [() => globex.beginClaim(token), () => globex.getClaim(token), () => globex.complete(token, {})])
      await expect(step()).rejects.toEqual(errorWith('unknown_claim'));
    const credentialId = randomBytes(16);
    await customers.claim(token, new SoftwareAuthenticator(), { credentialId });
    const other = await customers.offer();
    await expect(customers.claim(other.token, new SoftwareAuthenticator(), { credentialId })).rejects.toEqual(
      errorWith('passkey_invalid', 'registered already'),
    );
    await expect(customers.claim(other.token)).resolves.toEqual({ subject: other.subject });
  });
});

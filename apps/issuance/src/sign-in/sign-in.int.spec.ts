import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { passkeyIdOf } from '@holdfast/passkeys';
import { SoftwareAuthenticator, type CeremonyOptions } from '@holdfast/testing';
import { clock, customers, errorWith, globex, stack, start, withIssuance } from '../customers.fixture.js';

const minutes = (n: number) => n * 60_000;

describe('a sign-in', () => {
  withIssuance();

  it('replies with customer and credential, and stores the use of the passkey', async () => {
    const { subject, credentialId, authenticator } = await customers.new({}, new SoftwareAuthenticator());
    const result = await customers.signIn({ authenticator });
    expect(result).toEqual({
      outcome: 'signed_in',
      subject,
      credential: {
        id: credentialId,
        type: 'customer',
        document_number: expect.stringMatching(/^[0-9A-Z]{16}$/),
        issued_at: start,
      },
      version: 2,
      passkey: passkeyIdOf(authenticator.passkeys[0]!.id),
      deviceBound: true,
    });
    await expect(customers.status(subject)).resolves.toEqual({
      state: 'live',
      credential: (result as { credential: object }).credential,
      since: 0,
    });
    expect(
      await stack.database.query('SELECT counter, last_used_at FROM issuance.passkey WHERE subject = $1', [subject]),
    ).toEqual([{ counter: 1, last_used_at: new Date(start) }]);
  });

  it.each<[string, Partial<CeremonyOptions>]>([
    ['another origin', { origin: 'http://localhost:9090' }],
    ['an unverified user', { userVerified: false }],
    ['a wrong signature', { badSignature: true }],
    ['another user handle', { userHandle: randomBytes(32).toString('base64url') }],
  ])('is rejected with %s, and the next one succeeds', async (_, ceremony) => {
    const { authenticator } = await customers.new({}, new SoftwareAuthenticator());
    await customers.signIn({ authenticator });
    await expect(customers.signIn({ authenticator }, ceremony)).rejects.toEqual(errorWith('passkey_invalid'));
    await expect(customers.signIn({ authenticator }, { counter: 9 })).resolves.toMatchObject({ outcome: 'signed_in' });
  });

  it('with a counter that went back is refused for a passkey of one device, and tolerated for others', async () => {
    const { subject, authenticator } = await customers.new({}, new SoftwareAuthenticator());
    const stored = () => stack.database.query('SELECT counter FROM issuance.passkey WHERE subject = $1', [subject]);
    await customers.signIn({ authenticator }, { counter: 7 });
    for (const counter of [7, 3])
      await expect(customers.signIn({ authenticator }, { counter })).resolves.toEqual({
        outcome: 'refused',
        reason: 'counter_went_back',
        subject,
      });
    // Its provider no longer counts.
    const tolerated = { outcome: 'signed_in', subject, counterWentBack: true };
    await expect(customers.signIn({ authenticator }, { counter: 0 })).resolves.toMatchObject(tolerated);
    expect(await stored()).toEqual([{ counter: 7 }]);
    await expect(customers.signIn({ authenticator }, { counter: 8 })).resolves.not.toHaveProperty('counterWentBack');

    const synced = await customers.new({}, new SoftwareAuthenticator({ synced: true }));
    await customers.signIn(synced, { counter: 7 });
    await expect(customers.signIn(synced, { counter: 3 })).resolves.toMatchObject({
      ...tolerated,
      subject: synced.subject,
    });
  });

  it('accepts one of fifty copies of a response, in its interaction and organization, for ten minutes', async () => {
    const { authenticator } = await customers.new();
    const response = await customers.authenticate(authenticator, 'i1');
    await expect(customers.finish(response, undefined, 'i2')).rejects.toEqual(errorWith('ceremony_expired'));
    await expect(globex.finish(response)).rejects.toEqual(errorWith('ceremony_expired'));
    clock.advance(minutes(10) - 1);
    const results = await Promise.allSettled(Array.from({ length: 50 }, () => customers.finish(response)));
    expect(results.filter((r) => r.status === 'fulfilled')).toHaveLength(1);
    const late = await customers.authenticate(authenticator);
    clock.advance(minutes(10));
    await expect(customers.finish(late)).rejects.toEqual(errorWith('ceremony_expired'));
  });

  it('stores nothing until a response is verified, however many sign-ins begin or fail', async () => {
    const { authenticator } = await customers.new({}, new SoftwareAuthenticator());
    const rows = () => stack.database.query('SELECT hash FROM issuance.challenge');
    const before = await rows();
    for (let i = 0; i < 20; i += 1) {
      const response = await customers.authenticate(authenticator, 'busy', { badSignature: true });
      await expect(customers.finish(response, undefined, 'busy')).rejects.toEqual(errorWith('passkey_invalid'));
      await expect(customers.finish(response, undefined, 'idle')).rejects.toEqual(errorWith('ceremony_expired'));
    }
    expect(await rows()).toEqual(before);
    const { outcome } = await customers.signIn({ authenticator }, { counter: 50 });
    expect([outcome, (await rows()).length]).toEqual(['signed_in', before.length + 1]);
  });

  it('with a passkey of another organization is refused and does not use it, as is an unknown one', async () => {
    const authenticator = new SoftwareAuthenticator();
    const here = await customers.new({}, authenticator);
    const there = await globex.new({}, authenticator);
    expect(authenticator.passkeys).toHaveLength(2);
    const passkey = authenticator.passkeys[0]!.id;
    await expect(globex.signIn({ authenticator }, { passkey })).resolves.toEqual({
      outcome: 'refused',
      reason: 'other_organization',
    });
    expect(
      await stack.database.query('SELECT counter, last_used_at FROM issuance.passkey WHERE credential_id = $1', [
        passkey,
      ]),
    ).toEqual([{ counter: 0, last_used_at: null }]);
    await expect(customers.signIn({ authenticator }, { passkey })).resolves.toMatchObject({
      outcome: 'signed_in',
      subject: here.subject,
    });
    await expect(globex.signIn({ authenticator })).resolves.toMatchObject({
      outcome: 'signed_in',
      subject: there.subject,
    });
    const unknown = new SoftwareAuthenticator();
    await customers.register((await customers.offer()).token, unknown);
    await expect(customers.signIn({ authenticator: unknown })).resolves.toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
      removed: true,
    });
  });

  it('requires a live credential of the requested type', async () => {
    const customer = await customers.new({ validUntil: '2026-11-25T00:00:00Z' }, new SoftwareAuthenticator());
    const { subject, authenticator } = customer;
    const noLiveCredential = { outcome: 'refused', reason: 'no_live_credential', subject };
    const ofAnotherType = { authenticator, credentialType: 'membership' };
    await expect(customers.signIn(ofAnotherType)).resolves.toEqual(noLiveCredential);
    await expect(customers.status(subject, 'membership')).resolves.toEqual({ state: 'not_live' });
    clock.set('2026-11-24T23:59:59.999Z');
    await expect(customers.signIn({ authenticator })).resolves.toMatchObject({
      outcome: 'signed_in',
      credential: { expires_at: '2026-11-25T00:00:00.000Z' },
    });
    clock.set('2026-11-25T00:00:00.000Z');
    await expect(customers.signIn({ authenticator })).resolves.toEqual(noLiveCredential);
    clock.set(start);
    for (const status of ['suspended', 'revoked']) {
      await stack.database.query('UPDATE issuance.credential SET status = $2 WHERE subject = $1', [subject, status]);
      await expect(customers.signIn({ authenticator })).resolves.toEqual(noLiveCredential);
      await expect(customers.status(subject)).resolves.toEqual({ state: 'not_live' });
    }
    await expect(globex.status(subject)).resolves.toEqual({ state: 'unknown' });
  });
});

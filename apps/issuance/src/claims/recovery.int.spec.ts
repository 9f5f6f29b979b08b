import { describe, expect, it } from '@jest/globals';
import { createCredentialType } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { clock, customers, errorWith, stack, withIssuance } from '../customers.fixture.js';

describe('a claim by a customer who has a credential', () => {
  withIssuance({}, async () => {
    await stack.asOperator(createCredentialType, { name: 'pass', display: 'Pass', holders: ['passkey'] });
  });

  it('replaces the passkey and keeps the credential, when it is of the same type (recovery)', async () => {
    const { subject, authenticator } = await customers.new({}, new SoftwareAuthenticator());
    const before = await customers.status(subject);
    clock.advance(60 * 60_000);
    const recovery = await customers.offer({ subject });
    await expect(customers.getClaim(recovery.token)).resolves.toMatchObject({ state: 'open', recovery: true });
    const earlier = await customers.signIn({ authenticator });
    const replacement = new SoftwareAuthenticator();
    await customers.claim(recovery.token, replacement);
    expect(customers.typesOf(subject)).toEqual([
      'offer.created',
      'credential.issued',
      'offer.created',
      'credential.rekeyed',
    ]);
    // Its browser may hide it.
    await expect(customers.signIn({ authenticator })).resolves.toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
      removed: true,
    });
    const after = await customers.signIn({ authenticator: replacement });
    if (before.state !== 'live' || after.outcome !== 'signed_in') throw new Error('not live');
    expect(after).toMatchObject({
      subject,
      credential: { id: before.credential.id, issued_at: before.credential.issued_at },
    });
    expect(after.credential.document_number).not.toBe(before.credential.document_number);
    // The clock does not move, so only the customer's version distinguishes the two sign-ins.
    const status = await customers.status(subject);
    if (status.state !== 'live' || earlier.outcome !== 'signed_in') throw new Error('not live');
    expect(status.since).toBeGreaterThan(earlier.version!);
    expect(after.version).toBeGreaterThanOrEqual(status.since!);
  });

  it('leaves the earlier passkey on the device and valid until it succeeds, however often it fails', async () => {
    const authenticator = new SoftwareAuthenticator();
    const { subject } = await customers.new({}, authenticator);
    const [earlier] = authenticator.passkeys;
    const { token } = await customers.offer({ subject });
    for (let i = 0; i < 2; i += 1) {
      // The response is lost: the passkey is on the device and not stored.
      await customers.register(token, authenticator);
      expect(authenticator.passkeys).toHaveLength(2);
      await expect(customers.signIn({ authenticator }, { passkey: earlier!.id })).resolves.toMatchObject({ subject });
      await expect(customers.signIn({ authenticator })).resolves.toEqual({
        outcome: 'refused',
        reason: 'unknown_passkey',
        removed: true,
      });
    }
    const { acceptedPasskeys } = await customers.claim(token, authenticator);
    expect(acceptedPasskeys).toEqual({
      rpId: 'localhost',
      userId: earlier!.userHandle,
      allAcceptedCredentialIds: [],
    });
    expect(authenticator.passkeys).toHaveLength(2);
    await expect(customers.signIn({ authenticator })).resolves.toMatchObject({ outcome: 'signed_in', subject });

    const again = await customers.claim((await customers.offer({ subject })).token, authenticator);
    expect(again.acceptedPasskeys!.userId).toBe(authenticator.passkeys[1]!.userHandle);
    await expect(customers.signIn({ authenticator })).resolves.toMatchObject({ outcome: 'signed_in', subject });
  });

  it('is refused when it began for a user handle that another claim has taken', async () => {
    const authenticator = new SoftwareAuthenticator();
    const { subject } = await customers.new({}, authenticator);
    const passes = new SoftwareAuthenticator();
    await customers.claim((await customers.offer({ subject, credentialType: 'pass' })).token, passes);
    const [first, second] = [
      await customers.offer({ subject }),
      await customers.offer({ subject, credentialType: 'pass' }),
    ];
    const late = await customers.register(second.token, new SoftwareAuthenticator());
    await customers.claim(first.token, new SoftwareAuthenticator());
    await expect(customers.complete(second.token, late)).rejects.toEqual(errorWith('ceremony_expired'));
    const replacement = new SoftwareAuthenticator();
    await customers.claim(second.token, replacement);
    await expect(customers.signIn({ authenticator: replacement })).resolves.toMatchObject({ subject });
  });

  it('shows the type of its credential, since the organization has several', async () => {
    const { credentialType } = await customers.getClaim((await customers.offer({ credentialType: 'pass' })).token);
    expect(credentialType).toEqual({ name: 'pass', display: 'Pass' });
  });

  it('creates a passkey for its first customer without hiding any', async () => {
    const { token } = await customers.offer();
    await expect(customers.claim(token)).resolves.not.toHaveProperty('acceptedPasskeys');
  });

  it('keeps earlier sign-ins valid, when it is of another type', async () => {
    const { subject, authenticator } = await customers.new({}, new SoftwareAuthenticator());
    const earlier = await customers.signIn({ authenticator });
    await customers.claim((await customers.offer({ subject, credentialType: 'pass' })).token);
    const status = await customers.status(subject, 'pass');
    if (status.state !== 'live' || earlier.outcome !== 'signed_in') throw new Error('not live');
    expect(status.since).toBeLessThanOrEqual(earlier.version!);
  });
});

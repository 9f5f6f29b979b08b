import { describe, expect, it } from '@jest/globals';
import { createCredentialType } from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { clock, customers, stack, withIssuance } from '../customers.fixture.js';

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
    await expect(customers.signIn({ authenticator })).resolves.toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
    });
    const after = await customers.signIn({ authenticator: replacement });
    if (before.state !== 'live' || after.outcome !== 'signed_in') throw new Error('not live');
    expect(after).toMatchObject({
      subject,
      credential: { id: before.credential.id, issued_at: before.credential.issued_at },
    });
    expect(after.credential.document_number).not.toBe(before.credential.document_number);
    expect(replacement.passkeys[0]!.userHandle).toBe(authenticator.passkeys[0]!.userHandle);
    // The clock does not move, so only the customer's version distinguishes the two sign-ins.
    const status = await customers.status(subject);
    if (status.state !== 'live' || earlier.outcome !== 'signed_in') throw new Error('not live');
    expect(status.since).toBeGreaterThan(earlier.version!);
    expect(after.version).toBeGreaterThanOrEqual(status.since!);
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

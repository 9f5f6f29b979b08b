import { describe, expect, it } from '@jest/globals';
import { createCredentialType, suspendCredential, updateCredentialType } from '@holdfast/contracts';
import { passkeyIdInSql, passkeyIdOf } from '@holdfast/passkeys';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { codesOf, customers, errorWith, globex, stack, withIssuance } from '../customers.fixture.js';

const operator = () => testContext({ actor: { type: 'operator', id: 'ops' } });
const count = async (subject: string) =>
  (await stack.database.query('SELECT 1 FROM issuance.passkey WHERE subject = $1', [subject])).length;

describe('an offer that adds a passkey', () => {
  withIssuance();

  it('adds it, keeps the credential and the first passkey, and replaces nothing', async () => {
    const phone = await customers.new();
    const before = await customers.signIn(phone);
    const { subject } = phone;
    const { token, credentialId, offerId } = await customers.offer({ subject, adds: true });
    expect(credentialId).toBe(phone.credentialId);
    await expect(customers.getClaim(token)).resolves.toMatchObject({ adds: true, recovery: false });
    await expect(customers.beginClaim(token)).resolves.toMatchObject({
      excludeCredentials: [{ id: phone.authenticator.passkeys[0]!.id }],
    });
    const laptop = new SoftwareAuthenticator();
    await expect(customers.claim(token, laptop)).resolves.toEqual({ subject });
    const events = customers.eventsOf(subject);
    expect(events.map(({ type }) => type)).toEqual([
      'offer.created',
      'credential.issued',
      'offer.created',
      'credential.passkey_added',
    ]);
    expect(events[2]!.data).toMatchObject({ adds: true, offerId });
    const added = events.at(-1)!;
    expect(added).toMatchObject({
      data: { subject, credentialId, passkeys: 2 },
      audit: { action: 'passkey.add', actor: { type: 'customer', id: subject } },
    });
    expect(added.audit!.targets.map(({ type }) => type)).toEqual(['customer', 'credential', 'offer', 'passkey']);
    expect(added.replacesPasskeys).toBeUndefined();
    const [was, is] = [events[1]!, added].map(({ state }) => state!.credentials[0]!);
    expect(is).toEqual({ ...was, holders: [...was!.holders!, { type: 'passkey', addedAt: expect.any(String) }] });
    const ids = await stack.database.query<{ id: string; credential_id: string }>(
      `SELECT ${passkeyIdInSql('credential_id')} AS id, credential_id FROM issuance.passkey WHERE subject = $1`,
      [subject],
    );
    for (const { id, credential_id: stored } of ids) expect(id).toBe(passkeyIdOf(stored));
    for (const authenticator of [phone.authenticator, laptop]) {
      const signedIn = await customers.signIn({ authenticator });
      expect(signedIn).toMatchObject({ outcome: 'signed_in', subject });
      expect('credential' in signedIn && signedIn.credential).toEqual('credential' in before && before.credential);
    }
    await expect(customers.claim(token)).rejects.toEqual(errorWith('claim_spent'));
  });

  it('needs a subject of the app who holds a live credential of the type', async () => {
    await expect(customers.offer({ adds: true })).rejects.toEqual(errorWith('invalid_request'));
    const offered = await customers.offer();
    await expect(customers.offer({ subject: offered.subject, adds: true })).rejects.toEqual(
      errorWith('invalid_state', 'live credential'),
    );
    const { subject, credentialId } = await customers.new();
    await expect(globex.offer({ subject, adds: true })).rejects.toEqual(errorWith('unknown_subject'));
    const later = { validUntil: '2030-01-01T00:00:00Z' };
    await expect(customers.offer({ subject, adds: true, ...later })).rejects.toEqual(errorWith('invalid_request'));
    const { token } = await customers.offer({ subject, adds: true });
    const response = await customers.register(token);
    await stack.gateway.request(suspendCredential, { id: credentialId }, testContext());
    await expect(customers.complete(token, response)).rejects.toEqual(errorWith('claim_withdrawn'));
    await expect(customers.offer({ subject, adds: true })).rejects.toEqual(errorWith('invalid_state'));
    expect(await count(subject)).toBe(1);
  });

  it('is refused beyond the limit of the type, which counts at each step', async () => {
    const name = 'pair';
    await stack.operator.request(createCredentialType, { name, display: 'Pair', maxPasskeys: 2 }, operator());
    const { subject } = await customers.new({ credentialType: name });
    const [one, two] = [
      await customers.offer({ subject, credentialType: name, adds: true }),
      await customers.offer({ subject, credentialType: name, adds: true }),
    ];
    await expect(customers.claim(one.token)).rejects.toEqual(errorWith('claim_withdrawn'));
    const response = await customers.register(two.token);
    await stack.operator.request(updateCredentialType, { name, maxPasskeys: 1 }, operator());
    await expect(customers.complete(two.token, response)).rejects.toEqual(errorWith('invalid_state', 'one passkey'));
    await stack.operator.request(updateCredentialType, { name, maxPasskeys: 2 }, operator());
    await expect(customers.claim(two.token)).resolves.toEqual({ subject });
    await expect(customers.offer({ subject, credentialType: name, adds: true })).rejects.toEqual(
      errorWith('invalid_state', 'may be held by 2'),
    );
    // A recovery is possible at any number, and leaves one.
    const recovery = await customers.offer({ subject, credentialType: name });
    await expect(customers.claim(recovery.token)).resolves.toMatchObject({ subject });
    expect(await count(subject)).toBe(1);
  });

  it('of concurrent claims of one offer one succeeds, and a recovery that comes meanwhile replaces all', async () => {
    const { subject } = await customers.new();
    const adding = await customers.offer({ subject, adds: true });
    const responses = await Promise.all(Array.from({ length: 10 }, () => customers.register(adding.token)));
    const results = await Promise.allSettled(responses.map((r) => customers.complete(adding.token, r)));
    expect(codesOf(results)).toEqual(Array.from({ length: 9 }, () => 'claim_spent'));
    expect(await count(subject)).toBe(2);
    const second = await customers.offer({ subject, adds: true });
    const late = await customers.register(second.token);
    const recovery = await customers.offer({ subject });
    await expect(customers.complete(second.token, late)).rejects.toEqual(errorWith('claim_withdrawn'));
    await customers.claim(recovery.token);
    expect(await count(subject)).toBe(1);
    expect(customers.eventsOf(subject).at(-1)!.state!.credentials[0]!.holders).toHaveLength(1);
  });
});

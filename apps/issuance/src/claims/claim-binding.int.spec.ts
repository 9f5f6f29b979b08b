import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { errorWith, TestCustomers } from '../customers.fixture.js';
import { IssuanceStack } from '../issuance-stack.fixture.js';

describe('a claim', () => {
  let stack: IssuanceStack;
  let acme: TestCustomers;
  let globex: TestCustomers;
  beforeAll(async () => {
    stack = await IssuanceStack.start();
    acme = new TestCustomers(stack);
    globex = new TestCustomers(stack, 'globex');
  });
  afterAll(() => stack?.stop());

  it('completes only in the browser that began it; an attempt in another one does not consume it', async () => {
    const { token, subject } = await acme.offer();
    const response = await acme.register(token);
    for (const other of [{ browser: 'c'.repeat(43) }, {}])
      await expect(acme.complete(token, response, other)).rejects.toEqual(errorWith('ceremony_expired'));
    await expect(acme.complete(token, response)).resolves.toEqual({ subject });
  });

  it('does not reveal that another organization has the credential id, and signs in nowhere else', async () => {
    const [there, here] = [await globex.offer(), await acme.offer()];
    const [owner, thief] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await globex.claim(there.token, owner);
    const credentialId = Buffer.from(owner.passkeys[0]!.id, 'base64url');
    await expect(acme.claim(here.token, thief, { credentialId })).resolves.toEqual({ subject: here.subject });
    await expect(globex.signIn({ authenticator: thief })).rejects.toEqual(errorWith('passkey_invalid'));
    await expect(acme.signIn({ authenticator: thief })).resolves.toMatchObject({
      outcome: 'signed_in',
      subject: here.subject,
    });
    await expect(globex.signIn({ authenticator: owner })).resolves.toMatchObject({
      outcome: 'signed_in',
      subject: there.subject,
    });
    await expect(acme.signIn({ authenticator: owner })).rejects.toEqual(errorWith('passkey_invalid'));
  });

  it('is rejected with a credential id that its organization has already, and can be tried again', async () => {
    const first = new SoftwareAuthenticator();
    await acme.claim((await acme.offer()).token, first);
    const credentialId = Buffer.from(first.passkeys[0]!.id, 'base64url');
    const { token, subject } = await acme.offer();
    await expect(acme.claim(token, new SoftwareAuthenticator(), { credentialId })).rejects.toEqual(
      errorWith('passkey_invalid'),
    );
    await expect(acme.claim(token)).resolves.toEqual({ subject });
  });
});

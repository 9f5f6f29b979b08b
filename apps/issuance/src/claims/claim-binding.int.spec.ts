import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { beginClaim, beginSignIn, completeClaim, completeSignIn, createOffer, type ReplyOf } from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { IssuanceStack } from '../issuance-stack.fixture.js';

const origin = 'http://localhost:8080';
const browser = 'b'.repeat(43);
const refused = (code: string) => expect.objectContaining({ code });
const anonymous = (org: string) => testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } });

describe('a claim', () => {
  let stack: IssuanceStack;
  beforeAll(async () => {
    stack = await IssuanceStack.start();
  });
  afterAll(() => stack?.stop());

  const offer = async (org = 'acme') => {
    const { offer: made } = await stack.gateway.request(createOffer, { offer: {} }, testContext({ org }));
    return { subject: made.subject, token: made.claimUrl.split('#')[1]!, org };
  };
  type Made = Awaited<ReturnType<typeof offer>>;
  const begin = async ({ token, org }: Made) =>
    (await stack.gateway.request(beginClaim, { token, organizationName: 'Acme', browser }, anonymous(org))).options;
  const complete = (
    { token, org }: Made,
    response: Record<string, unknown>,
    more: { browser?: string } = { browser },
  ) => stack.gateway.request(completeClaim, { token, response, ...more }, anonymous(org));
  const claim = async (made: Made, authenticator: SoftwareAuthenticator, credentialId?: Buffer) =>
    complete(made, authenticator.register(await begin(made), { origin, ...(credentialId && { credentialId }) }));
  const signIn = async (org: string, authenticator: SoftwareAuthenticator): Promise<ReplyOf<typeof completeSignIn>> => {
    const { options } = await stack.auth.request(beginSignIn, { interaction: 'i1' }, anonymous(org));
    return stack.auth.request(
      completeSignIn,
      { interaction: 'i1', response: authenticator.authenticate(options, { origin }) },
      anonymous(org),
    );
  };

  it('takes an answer in the browser alone that asked for it; in another one it is not used up', async () => {
    const made = await offer();
    const response = new SoftwareAuthenticator().register(await begin(made), { origin });
    for (const other of [{ browser: 'c'.repeat(43) }, {}])
      await expect(complete(made, response, other)).rejects.toEqual(refused('ceremony_expired'));
    await expect(complete(made, response)).resolves.toEqual({ subject: made.subject });
  });

  it('does not tell that another organization knows the credential id, and opens nothing there', async () => {
    const [there, here] = [await offer('globex'), await offer()];
    const [owner, thief] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await claim(there, owner);
    const seen = Buffer.from(owner.passkeys[0]!.id, 'base64url');
    await expect(claim(here, thief, seen)).resolves.toEqual({ subject: here.subject });
    await expect(signIn('globex', thief)).rejects.toEqual(refused('passkey_invalid'));
    await expect(signIn('acme', thief)).resolves.toMatchObject({ outcome: 'signed_in', subject: here.subject });
    await expect(signIn('globex', owner)).resolves.toMatchObject({ outcome: 'signed_in', subject: there.subject });
    await expect(signIn('acme', owner)).rejects.toEqual(refused('passkey_invalid'));
  });

  it('refuses a credential id that is known in its own organization', async () => {
    const [first, second] = [new SoftwareAuthenticator(), new SoftwareAuthenticator()];
    await claim(await offer(), first);
    const made = await offer();
    await expect(claim(made, second, Buffer.from(first.passkeys[0]!.id, 'base64url'))).rejects.toEqual(
      refused('passkey_invalid'),
    );
    await expect(claim(made, second)).resolves.toEqual({ subject: made.subject });
  });
});

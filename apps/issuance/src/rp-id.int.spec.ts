import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import {
  beginClaim,
  beginSignIn,
  completeClaim,
  completeSignIn,
  countPasskeys,
  type RelyingPartyIds,
} from '@holdfast/contracts';
import { SoftwareAuthenticator, testContext } from '@holdfast/testing';
import { TestCustomers } from './customers.fixture.js';
import { IssuanceStack } from './issuance-stack.fixture.js';

const origin = 'http://localhost:8080';
const anonymous = () => testContext({ actor: { type: 'anonymous', id: 'anonymous' } });

/** What directory has the organization at, before, during and after a move from the deployment's RP ID. */
const before = undefined;
const during: RelyingPartyIds = { rpId: 'acme.example', earlier: {} };
const after: RelyingPartyIds = { rpId: 'acme.example' };

describe('an RP ID of the organization’s own', () => {
  let stack: IssuanceStack;
  let customers: TestCustomers;
  beforeAll(async () => {
    stack = await IssuanceStack.start();
    customers = new TestCustomers(stack);
  });
  afterAll(() => stack?.stop());

  const claim = async (
    relyingParty: RelyingPartyIds | undefined,
    body: object = {},
    authenticator = new SoftwareAuthenticator(),
    completedUnder = relyingParty,
  ) => {
    const offer = await customers.offer(body, testContext());
    const { options } = await stack.gateway.request(
      beginClaim,
      { token: offer.token, organizationName: 'Acme', ...(relyingParty && { relyingParty }) },
      anonymous(),
    );
    const response = authenticator.register(options, { origin });
    await stack.gateway.request(
      completeClaim,
      { token: offer.token, response, ...(completedUnder && { relyingParty: completedUnder }) },
      anonymous(),
    );
    return { ...offer, authenticator };
  };
  const signIn = async (
    authenticator: SoftwareAuthenticator,
    relyingParty: RelyingPartyIds | undefined,
    { earlier = false, completedUnder = relyingParty } = {},
  ) => {
    const { options, earlierRpId } = await stack.auth.request(
      beginSignIn,
      { interaction: 'i1', ...(relyingParty && { relyingParty }) },
      anonymous(),
    );
    const response = authenticator.authenticate(earlier ? { ...options, rpId: earlierRpId } : options, { origin });
    return stack.auth.request(
      completeSignIn,
      { interaction: 'i1', response, ...(completedUnder && { relyingParty: completedUnder }) },
      anonymous(),
    );
  };
  const counts = async () =>
    Object.fromEntries((await stack.asOperator(countPasskeys, {})).items.map(({ rpId, passkeys }) => [rpId, passkeys]));

  it('is what a claim makes the passkey for, and what a sign-in asks for', async () => {
    const { subject, authenticator } = await claim(after);
    expect(authenticator.passkeys).toEqual([expect.objectContaining({ rpId: 'acme.example' })]);
    expect(await signIn(authenticator, after)).toMatchObject({ outcome: 'signed_in', subject });
    // The same device asked for the deployment's RP ID has nothing to show.
    await expect(signIn(authenticator, before)).rejects.toThrow('no passkey for localhost');
  });

  it('leaves passkeys of before usable while customers move, and not after', async () => {
    const { subject, authenticator } = await claim(before);
    await expect(signIn(authenticator, during)).rejects.toThrow('no passkey for acme.example');
    expect(await signIn(authenticator, during, { earlier: true })).toMatchObject({ outcome: 'signed_in', subject });
    // The move ended while the page was open.
    expect(await signIn(authenticator, during, { earlier: true, completedUnder: after })).toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
    });
    const { earlierRpId } = await stack.auth.request(
      beginSignIn,
      { interaction: 'i1', relyingParty: after },
      anonymous(),
    );
    expect(earlierRpId).toBeUndefined();
  });

  it('cannot be had by a passkey that says it is of another than it was made for', async () => {
    const { authenticator } = await claim(before);
    const { options } = await stack.auth.request(beginSignIn, { interaction: 'i1', relyingParty: during }, anonymous());
    const response = authenticator.authenticate({ ...options, rpId: 'localhost' }, { origin, rpId: 'acme.example' });
    await expect(
      stack.auth.request(completeSignIn, { interaction: 'i1', response, relyingParty: during }, anonymous()),
    ).rejects.toMatchObject({ code: 'passkey_invalid' });
  });

  it('is moved to by a recovery: same subject, the earlier passkey is gone, and the counts say how far it has come', async () => {
    const { subject, authenticator: old } = await claim(before);
    const already = await counts();
    const { authenticator } = await claim(during, { subject });
    expect(await signIn(authenticator, during)).toMatchObject({ outcome: 'signed_in', subject });
    expect(await signIn(old, during, { earlier: true })).toEqual({ outcome: 'refused', reason: 'unknown_passkey' });
    expect(await counts()).toEqual({
      ...already,
      localhost: already.localhost! - 1,
      'acme.example': (already['acme.example'] ?? 0) + 1,
    });
  });

  it('refuses a passkey made for the RP ID of before the change', async () => {
    await expect(claim(before, {}, new SoftwareAuthenticator(), during)).rejects.toMatchObject({
      code: 'passkey_invalid',
    });
  });

  it('of no organization is counted', async () => {
    await expect(stack.asOperator(countPasskeys, {}, 'nobody')).rejects.toMatchObject({ code: 'unknown_organization' });
  });
});

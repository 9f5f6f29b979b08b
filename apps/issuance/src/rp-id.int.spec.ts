import { describe, expect, it } from '@jest/globals';
import {
  beginClaim,
  beginSignIn,
  completeClaim,
  completeSignIn,
  countPasskeys,
  type RelyingPartyIds,
} from '@holdfast/contracts';
import { SoftwareAuthenticator } from '@holdfast/testing';
import { anonymous, customers, errorWith, origin, stack, withIssuance } from './customers.fixture.js';

/** The RP IDs of the organization before, during and after a move from the deployment's RP ID. */
const before = undefined;
const during: RelyingPartyIds = { rpId: 'acme.example', earlier: {} };
const after: RelyingPartyIds = { rpId: 'acme.example' };

describe('an RP ID of an organization', () => {
  withIssuance();

  const claim = async (
    relyingParty: RelyingPartyIds | undefined,
    body: object = {},
    authenticator = new SoftwareAuthenticator(),
    completedUnder = relyingParty,
  ) => {
    const offer = await customers.offer(body);
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

  it('is the RP ID of the passkeys that its claims create and its sign-ins request', async () => {
    const { subject, authenticator } = await claim(after);
    expect(authenticator.passkeys).toEqual([expect.objectContaining({ rpId: 'acme.example' })]);
    expect(await signIn(authenticator, after)).toMatchObject({ outcome: 'signed_in', subject });
    // For the deployment's RP ID the same device has no passkey.
    await expect(signIn(authenticator, before)).rejects.toThrow('no passkey for localhost');
  });

  it('allows sign-ins with passkeys of the earlier RP ID during the move, and not after it', async () => {
    const { subject, authenticator } = await claim(before);
    await expect(signIn(authenticator, during)).rejects.toThrow('no passkey for acme.example');
    expect(await signIn(authenticator, during, { earlier: true })).toMatchObject({ outcome: 'signed_in', subject });
    // The move ended during the sign-in.
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

  it('rejects a passkey of the earlier RP ID that signs for the new one', async () => {
    const { authenticator } = await claim(before);
    const { options } = await stack.auth.request(beginSignIn, { interaction: 'i1', relyingParty: during }, anonymous());
    const response = authenticator.authenticate({ ...options, rpId: 'localhost' }, { origin, rpId: 'acme.example' });
    await expect(
      stack.auth.request(completeSignIn, { interaction: 'i1', response, relyingParty: during }, anonymous()),
    ).rejects.toEqual(errorWith('passkey_invalid'));
  });

  it('replaces the earlier one in a recovery, which removes the earlier passkey and changes the counts', async () => {
    const { subject, authenticator: old } = await claim(before);
    const earlierCounts = await counts();
    const { authenticator } = await claim(during, { subject });
    expect(await signIn(authenticator, during)).toMatchObject({ outcome: 'signed_in', subject });
    expect(await signIn(old, during, { earlier: true })).toEqual({
      outcome: 'refused',
      reason: 'unknown_passkey',
      removed: true,
    });
    expect(await counts()).toEqual({
      ...earlierCounts,
      localhost: earlierCounts.localhost! - 1,
      'acme.example': (earlierCounts['acme.example'] ?? 0) + 1,
    });
  });

  it('rejects a claim with a passkey of the RP ID before the change', async () => {
    await expect(claim(before, {}, new SoftwareAuthenticator(), during)).rejects.toEqual(errorWith('passkey_invalid'));
  });

  it('is not counted for an unknown organization', async () => {
    await expect(stack.asOperator(countPasskeys, {}, 'nobody')).rejects.toEqual(errorWith('unknown_organization'));
  });
});

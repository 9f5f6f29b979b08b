import type { RelyingPartyIds, WebAuthnJson } from '@holdfast/contracts';
import type { Sql, Statement } from '@holdfast/data';
import type { KeyEncryptionConfig, Keys } from '@holdfast/platform';
import {
  authenticationOptions,
  readAuthentication,
  verifyAuthentication,
  type PasskeyUse,
  type StoredPasskey,
} from './authentication.js';
import { consumeSignedChallenge, requireValidSignedChallenge, signedChallenge } from './challenges.js';
import { derivedKeys } from './derived-keys.js';
import { acceptsPasskeysOf, relyingPartyOf, type RelyingParty } from './relying-party.js';
import { UserHandles } from './user-handle.js';

const purposes = { customers: 'challenges of sign-ins', people: 'challenges of people' } as const;

export type SignInConfig = KeyEncryptionConfig & { relyingParty: RelyingParty };

/** One interaction of a sign-in to an organization. Who signs in is not known yet. */
export interface SignIn {
  org: string;
  interaction: string;
  relyingParty?: RelyingPartyIds | undefined;
}

export type VerifiedSignIn =
  | { outcome: 'refused'; reason: 'other_organization' }
  /** `removed`: the organization has created it, and no longer stores it. */
  | { outcome: 'refused'; reason: 'unknown_passkey'; removed?: true }
  | ({ outcome: 'verified'; passkey: OwnedPasskey } & PasskeyUse);

/** A passkey, with the id of the customer or person. */
export type OwnedPasskey = StoredPasskey & { owner: string };

/** The ceremony of a sign-in, of customers or of people. */
export class SignInCeremony {
  private readonly handles: UserHandles;

  constructor(
    private readonly config: SignInConfig,
    private readonly whose: keyof typeof purposes,
  ) {
    this.handles = new UserHandles(config, whose);
  }

  /** Options that name no passkey, bound to one interaction. Stores nothing, since anybody may begin a sign-in. */
  async begin(signIn: SignIn, now: Date): Promise<{ options: WebAuthnJson; earlierRpId?: string }> {
    const challenge = signedChallenge(this.keys, bindingOf(signIn), now);
    const rp = relyingPartyOf(this.config.relyingParty, signIn.relyingParty);
    return {
      options: await authenticationOptions(rp, challenge),
      ...(rp.earlierId !== undefined && { earlierRpId: rp.earlierId }),
    };
  }

  /**
   * Verifies the response of an authenticator, and consumes its challenge.
   *
   * A counter that went back is for the caller to refuse: `counterCheck` says so.
   *
   * @param find the passkey by its credential id, the organization and the user handle. Another organization's passkey
   * is found only if its handle matches too: anybody can register an id that they have seen
   * @throws AppError ceremony_expired, passkey_invalid
   */
  async verify(sql: Sql, find: Statement, signIn: SignIn, response: WebAuthnJson, now: Date): Promise<VerifiedSignIn> {
    const authentication = readAuthentication(response);
    const binding = bindingOf(signIn);
    requireValidSignedChallenge(this.keys, authentication.challenge, binding, now);
    const { credentialId } = authentication;
    const handle = Buffer.from(authentication.response.response.userHandle, 'base64url');
    const [passkey] = await sql.rows<OwnedPasskey & { org: string }>(find, [credentialId, signIn.org, handle]);
    const rp = relyingPartyOf(this.config.relyingParty, signIn.relyingParty);
    // A passkey of an RP ID that is no longer accepted counts as unknown: its owner gets a new one by a recovery
    // (docs/rp-id.md).
    if (!passkey)
      return {
        outcome: 'refused',
        reason: 'unknown_passkey',
        ...(this.handles.isOurs(signIn.org, handle) && { removed: true }),
      };
    if (!acceptsPasskeysOf(rp, passkey.rpId)) return { outcome: 'refused', reason: 'unknown_passkey' };
    const use = await verifyAuthentication(rp, authentication, passkey);
    await consumeSignedChallenge(sql, authentication.challenge, binding, now);
    // Only after the verification, so that only its owner learns that another organization has the passkey. The reply
    // does not name the owner there.
    if (passkey.org !== signIn.org) return { outcome: 'refused', reason: 'other_organization' };
    return { outcome: 'verified', passkey, ...use };
  }

  private get keys(): Keys {
    return derivedKeys(this.config, purposes[this.whose]);
  }
}

/** A challenge is valid for its interaction only. */
function bindingOf({ org, interaction }: SignIn): string {
  return `${org}/${interaction}`;
}

import { randomBytes } from 'node:crypto';
import type { AcceptedPasskeys } from '@holdfast/contracts';
import { equal, keyedHash, type KeyEncryptionConfig } from '@holdfast/platform';
import { derivedKeys } from './derived-keys.js';
import type { RelyingParty } from './relying-party.js';

const purposes = { customers: 'user handles of customers', people: 'user handles of people' } as const;
/** Layout of a user handle in bytes: random bytes, and a truncated HMAC over these and the organization. */
const layout = { random: 16, mac: 16 } as const;

/**
 * WebAuthn user handles (Level 3 §5.4.3) of customers or of people: 32 bytes without personal data, others in each
 * organization, since all organizations of a host share an RP ID and an authenticator keeps one passkey per RP ID and
 * handle.
 *
 * A handle shows who made it. A passkey with a handle of ours that is not stored has been removed, and its browser may
 * hide it. Without that proof it might be one of a person, or of an organization elsewhere, where it still signs in.
 */
export class UserHandles {
  constructor(
    private readonly config: KeyEncryptionConfig,
    private readonly whose: keyof typeof purposes,
  ) {}

  create(org: string): Buffer {
    const random = randomBytes(layout.random);
    const [key] = derivedKeys(this.config, purposes[this.whose]);
    return Buffer.concat([random, macOf(key, org, random)]);
  }

  /** False also for handles whose key a rotation has removed: their passkeys stay in the picker. */
  isOurs(org: string, handle: Buffer): boolean {
    if (handle.length !== layout.random + layout.mac) return false;
    const [random, mac] = [handle.subarray(0, layout.random), handle.subarray(layout.random)];
    return derivedKeys(this.config, purposes[this.whose]).some((key) => equal(mac, macOf(key, org, random)));
  }
}

/**
 * The signal for a browser when none of the passkeys of a handle signs in any more: it hides them (WebAuthn Level 3
 * §5.1.10.3).
 */
export function noPasskeysOf({ id: rpId }: RelyingParty, handle: Buffer): AcceptedPasskeys {
  return { rpId, userId: handle.toString('base64url'), allAcceptedCredentialIds: [] };
}

/** The signal for a browser: these passkeys of a customer sign in, and no others. There is one at least. */
export function acceptedPasskeysOf(
  { id: rpId }: RelyingParty,
  passkeys: readonly { credentialId: string; handle: Buffer }[],
): AcceptedPasskeys {
  return {
    rpId,
    userId: passkeys[0]!.handle.toString('base64url'),
    allAcceptedCredentialIds: passkeys.map(({ credentialId }) => credentialId),
  };
}

function macOf(key: Buffer, org: string, random: Buffer): Buffer {
  return keyedHash(key, `user handle ${random.toString('base64url')} ${org}`).subarray(0, layout.mac);
}

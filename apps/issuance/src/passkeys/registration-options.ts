import type { RelyingPartyIds, WebAuthnJson } from '@holdfast/contracts';
import { registrationOptions, relyingPartyOf } from '@holdfast/passkeys';
import type { IssuanceConfig } from '../config.js';
import type { StoredPasskey } from './passkeys.repository.js';

/** A ceremony that has begun. */
interface Begun {
  handle: Buffer;
  challenge: Buffer;
  exclude: readonly Pick<StoredPasskey, 'credentialId' | 'transports'>[];
}

/** Options for a passkey of a customer. */
export function optionsOf(
  { handle, challenge, exclude }: Begun,
  organizationName: string,
  config: IssuanceConfig,
  relyingParty: RelyingPartyIds | undefined,
): Promise<WebAuthnJson> {
  return registrationOptions(
    relyingPartyOf(config.relyingParty, relyingParty),
    organizationName,
    handle,
    challenge,
    exclude.map(({ credentialId: id, transports }) => ({ id, transports })),
  );
}

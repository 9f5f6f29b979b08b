import { startRegistration, WebAuthnAbortService } from '@simplewebauthn/browser';
import { afterVisible } from '../browser/after-visible.ts';
import { hidePasskey } from '../browser/passkey-signals.ts';
import type { CreationDependencies } from './creation.ts';

/** The part of the browser in the creation of a passkey. */
export const browserCreation: Omit<CreationDependencies<unknown>, 'options' | 'complete'> = {
  register: (optionsJSON) => startRegistration({ optionsJSON }),
  abort: () => WebAuthnAbortService.cancelCeremony(),
  hide: (rpId, credentialId) => hidePasskey(rpId ?? location.hostname, credentialId),
  after: afterVisible,
};

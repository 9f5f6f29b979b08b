import { startAuthentication, WebAuthnAbortService } from '@simplewebauthn/browser';
import { afterVisible } from '../browser/after-visible.ts';
import type { CeremonyDependencies } from './ceremonies.ts';

/** The part of the browser in a sign-in with a passkey. */
export const browserCeremonies: Omit<CeremonyDependencies, 'options'> = {
  authenticate: (optionsJSON, useBrowserAutofill) => startAuthentication({ optionsJSON, useBrowserAutofill }),
  abort: () => WebAuthnAbortService.cancelCeremony(),
  after: afterVisible,
};

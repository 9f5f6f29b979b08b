import { base64URLStringToBuffer, sendSignal } from '@simplewebauthn/browser';
import type { AcceptedPasskeys } from '@holdfast/contracts';
import { passkeyUserName } from '@holdfast/platform/passkey-user-name';

/**
 * Signals to the browser that a passkey signs in nowhere, so that it no longer offers it (WebAuthn Level 3 §5.1.10).
 * Many browsers cannot do that, and none says whether it has: the page does not depend on it.
 */
export function hidePasskey(rpID: string, credentialID: string): void {
  void sendSignal({ signalName: 'unknownCredential', rpID, credentialID }).catch(ignored);
}

/** Signals to the browser which passkeys of a user handle still sign in. */
export function showOnly({ rpId: rpID, userId: userID, allAcceptedCredentialIds }: AcceptedPasskeys): void {
  const signalName = 'allAcceptedCredentials';
  void sendSignal({ signalName, rpID, userID, allAcceptedCredentialIDs: allAcceptedCredentialIds }).catch(ignored);
}

/**
 * Signals to the browser what its picker shows for the passkeys of a user handle: the organization may have another
 * name than when they were made.
 */
export function showName(rpID: string, userID: string, organizationName: string): void {
  const userName = passkeyUserName(organizationName, new Uint8Array(base64URLStringToBuffer(userID)));
  void sendSignal({ signalName: 'currentUserDetails', rpID, userID, userName, userDisplayName: '' }).catch(ignored);
}

function ignored(): void {
  // There is nothing to repair: the passkey stays in the picker.
}

import { browserSupportsWebAuthn } from '@simplewebauthn/browser';

export type WebAuthnSupport = 'supported' | 'unsupported' | 'insecure';

/** A browser hides WebAuthn from an insecure page, so this is checked first. */
export function webAuthnSupport(): WebAuthnSupport {
  if (!isSecureContext) return 'insecure';
  return browserSupportsWebAuthn() ? 'supported' : 'unsupported';
}

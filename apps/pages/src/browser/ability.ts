import { browserSupportsWebAuthn } from '@simplewebauthn/browser';

export type Ability = 'able' | 'unsupported' | 'insecure';

/** A browser hides WebAuthn from an insecure page, so that is asked first. */
export function ability(): Ability {
  if (!isSecureContext) return 'insecure';
  return browserSupportsWebAuthn() ? 'able' : 'unsupported';
}

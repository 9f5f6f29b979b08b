/** Lists origins of other domains that may use an RP ID (WebAuthn Level 3 §5.11, related origins). */
export const relatedOriginsPath = '/.well-known/webauthn';

import type { Configuration } from 'oidc-provider';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const sessionLife = 14 * hour;
/** Before anybody has signed in. */
const emptySessionLife = 30 * minute;
const refreshLife = 30 * day;

/** How long somebody may take on the sign-in page, in seconds. */
export const interactionSeconds = 30 * minute;

const now = () => Math.floor(Date.now() / 1000);

/** How long each artefact lives, in seconds. A session ends that long after its sign-in, however busy it is. */
export const lifetimes: Configuration['ttl'] = {
  AuthorizationCode: minute,
  AccessToken: 10 * minute,
  IdToken: 10 * minute,
  Interaction: interactionSeconds,
  Session: (_ctx, { loginTs }) => Math.max(1, loginTs === undefined ? emptySessionLife : loginTs + sessionLife - now()),
  // A family of rotated tokens ends thirty days after its sign-in; then a passkey is asked for again.
  RefreshToken: (ctx) => Math.max(1, ctx.oidc.entities.RotatedRefreshToken?.remainingTTL ?? refreshLife),
  // Made once for a session and an app, so the last token of that session must still find it.
  Grant: sessionLife + refreshLife + hour,
};

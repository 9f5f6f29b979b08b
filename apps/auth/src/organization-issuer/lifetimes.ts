import type { Configuration } from 'oidc-provider';

const minute = 60;
const hour = 60 * minute;
const day = 24 * hour;

const sessionSeconds = 14 * hour;
/** Of a session without a sign-in. */
const emptySessionSeconds = 30 * minute;
const refreshSeconds = 30 * day;

/** How long a customer may take on the sign-in page. */
export const interactionSeconds = 30 * minute;

/** How long a device waits until somebody has entered its code (RFC 8628 §3.2). */
const deviceCodeSeconds = 10 * minute;

/** Created once for a session and an app. It must outlive the last refresh token that the session obtains. */
export const grantSeconds = sessionSeconds + refreshSeconds + hour;

const now = () => Math.floor(Date.now() / 1000);

/** Lifetimes in seconds. A session expires that long after its sign-in, whether or not it is used. */
export const lifetimes: Configuration['ttl'] = {
  AuthorizationCode: minute,
  AccessToken: 10 * minute,
  IdToken: 10 * minute,
  Interaction: interactionSeconds,
  Session: (_ctx, { loginTs }) =>
    Math.max(1, loginTs === undefined ? emptySessionSeconds : loginTs + sessionSeconds - now()),
  // A family of rotated tokens expires thirty days after its sign-in.
  RefreshToken: (ctx) => Math.max(1, ctx.oidc.entities.RotatedRefreshToken?.remainingTTL ?? refreshSeconds),
  Grant: grantSeconds,
  DeviceCode: deviceCodeSeconds,
};

import { randomBytes } from 'node:crypto';
import { cookies } from 'next/headers';
import { config } from './config.js';

/**
 * @typedef {object} Session
 * @property {import('@holdfast/sdk/sign-in').PendingSignIn} [pending]
 * @property {import('@holdfast/sdk/sign-in').SignedIn} [customer]
 */

const isHttps = config.origin.startsWith('https:');
const cookie = isHttps ? '__Host-nextjs-example' : 'nextjs-example';
const maxAgeSeconds = 8 * 60 * 60;

/**
 * By id. With several servers this is a table, or Redis: a session that is stored in the cookie cannot be ended by
 * Holdfast. Next.js loads a module several times, so it belongs to the process.
 *
 * @type {Map<string, { session: Session, expiresAtMs: number }>}
 */
const sessions = Reflect.get(globalThis, 'sessions') ?? new Map();
Reflect.set(globalThis, 'sessions', sessions);
const seenLogoutTokens = new Map();

/** @returns {Promise<Session>} */
export async function currentSession() {
  const stored = sessions.get((await cookies()).get(cookie)?.value ?? '');
  return stored && stored.expiresAtMs > Date.now() ? stored.session : {};
}

/** Under a new id: one that somebody else knows or has set must not become that of a customer. */
export async function startSession(/** @type {Session} */ session) {
  await endSession();
  for (const [id, { expiresAtMs }] of sessions) if (expiresAtMs < Date.now()) sessions.delete(id);
  const id = randomBytes(32).toString('base64url');
  sessions.set(id, { session, expiresAtMs: Date.now() + maxAgeSeconds * 1000 });
  const options = { httpOnly: true, sameSite: /** @type {const} */ ('lax'), secure: isHttps, path: '/' };
  (await cookies()).set(cookie, id, { ...options, maxAge: maxAgeSeconds });
}

export async function endSession() {
  const browser = await cookies();
  sessions.delete(browser.get(cookie)?.value ?? '');
  browser.delete(cookie);
}

/** Without `sid` all sessions of the customer end. @param {import('@holdfast/sdk').EndedSession} ended */
export function endSessions({ jti, sid, subject, expiresAt }) {
  for (const [seen, until] of seenLogoutTokens) if (until < new Date()) seenLogoutTokens.delete(seen);
  if (seenLogoutTokens.has(jti)) return;
  seenLogoutTokens.set(jti, expiresAt);
  for (const [id, { session }] of sessions) {
    const { customer } = session;
    if (customer && (sid === undefined ? customer.subject === subject : customer.sid === sid)) sessions.delete(id);
  }
}

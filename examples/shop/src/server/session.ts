import type { SessionStore as FastifySessionStore } from '@fastify/session';
import type { Session } from 'fastify';
import type { RevokedSession } from '../holdfast/back-channel-logout.ts';
import type { PendingSignIn, SignedIn } from '../holdfast/sign-in.ts';

/** A message that the next page shows once. */
export interface Notice {
  kind: 'good' | 'bad';
  text: string;
  /** Code and detail of an API error, for developers. */
  small?: string;
}

/** The e-mail with the claim link, which a real shop sends instead of storing it. */
interface ClaimEmail {
  to: string;
  name: string;
  claimUrl: string;
  expiresAt: string;
  /** Set for a new link to an existing customer. */
  subject?: string;
}

declare module 'fastify' {
  interface Session {
    /** Who signed in. A session has one of the two: each area has sessions of its own (areaRoutes). */
    customer?: SignedIn;
    staff?: SignedIn;
    pendingSignIns?: PendingSignIn[];
    notice?: Notice;
    claimEmail?: ClaimEmail;
    /** The presence proof sent with the last offer, and that offer's Idempotency-Key. */
    presenceProof?: { idempotencyKey: string; payload: string | undefined };
  }
}

const ttlMs = 8 * 60 * 60 * 1000;
/** Without a bound, a script could fill the memory with sign-ins that it never finishes. */
const maxPendingSignIns = 5;

interface StoredSession {
  session: Session;
  expiresAt: number;
  revoked: boolean;
}

/**
 * The sessions, in memory; the cookie contains a signed random id only. With several servers this is a table or Redis.
 * Sessions stored in the cookie would not do: back-channel logout and erasure must end sessions without the browser.
 */
export class SessionStore implements FastifySessionStore {
  readonly #sessions = new Map<string, StoredSession>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  get(id: string, done: (error: unknown, session?: Session | null) => void): void {
    const stored = this.#sessions.get(id);
    done(null, stored && !stored.revoked && stored.expiresAt > this.#now() ? stored.session : null);
  }

  /** Called at the end of each request. It must not restore a session that was revoked during the request. */
  set(id: string, session: Session, done: (error?: unknown) => void): void {
    const stored = this.#sessions.get(id);
    if (stored) stored.session = session;
    else {
      this.#deleteExpired();
      this.#sessions.set(id, { session, expiresAt: this.#now() + ttlMs, revoked: false });
    }
    done();
  }

  destroy(id: string, done: (error?: unknown) => void): void {
    const stored = this.#sessions.get(id);
    if (stored) stored.revoked = true;
    done();
  }

  /** Ends the session with this `sid` at Holdfast, or without `sid` all sessions of that subject. */
  revoke({ issuer, subject, sid }: RevokedSession): void {
    for (const stored of this.#sessions.values()) {
      const signedIn = stored.session.customer ?? stored.session.staff;
      if (signedIn?.issuer !== issuer) continue;
      if (sid === undefined ? signedIn.subject === subject : signedIn.sid === sid) stored.revoked = true;
    }
  }

  /** All sessions have the same lifetime, so the oldest expire first. */
  #deleteExpired(): void {
    for (const [id, { expiresAt }] of this.#sessions) {
      if (expiresAt > this.#now()) return;
      this.#sessions.delete(id);
    }
  }
}

export function addPendingSignIn(session: Session, pending: PendingSignIn): void {
  const pendingSignIns = (session.pendingSignIns ??= []);
  pendingSignIns.push(pending);
  pendingSignIns.splice(0, pendingSignIns.length - maxPendingSignIns);
}

/** Finds the sign-in with this `state` and removes it: each can be finished once. */
export function takePendingSignIn(session: Session, state: string | undefined): PendingSignIn | undefined {
  const index = session.pendingSignIns?.findIndex((pending) => pending.state === state) ?? -1;
  return index < 0 ? undefined : session.pendingSignIns?.splice(index, 1)[0];
}

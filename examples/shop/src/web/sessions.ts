import { createHash, randomBytes, timingSafeEqual } from 'node:crypto';
import type { Ended } from '../holdfast/back-channel-logout.ts';
import type { Begun, SignedIn } from '../holdfast/sign-in.ts';

export interface Notice {
  kind: 'good' | 'bad';
  text: string;
  /** Code and detail of the API, for those who build on it. */
  small?: string;
}

/** A claim link that waits to be shown once; in a real shop it would be in an e-mail, and nowhere else. */
export interface Letter {
  to: string;
  name: string;
  claimUrl: string;
  expiresAt: string;
  /** A new link for a customer that we have. */
  subject?: string;
}

export interface Session {
  /** In every form; another site cannot know it. */
  readonly csrf: string;
  /** From it come the Idempotency-Keys of this browser's forms. */
  readonly secret: string;
  readonly endsAt: number;
  /** Sign-ins that have begun, by their `state`. */
  readonly signIns: Map<string, Begun>;
  customer?: SignedIn;
  notice?: Notice;
  letter?: Letter;
  /** The proof of presence that went out with the last offer, by its Idempotency-Key. */
  proof?: { key: string; payload: string | undefined };
}

const life = 8 * 60 * 60 * 1000;
/** A browser has few tabs; a script that begins sign-in after sign-in fills no memory. */
const signInsKept = 5;

/**
 * Who is signed in, in memory: the cookie holds a random name and nothing else. With several servers this is a table.
 */
export class Sessions {
  readonly #sessions = new Map<string, Session>();
  readonly #now: () => number;

  constructor(now: () => number = Date.now) {
    this.#now = now;
  }

  find(id: string | undefined): Session | undefined {
    const session = id === undefined ? undefined : this.#sessions.get(nameOf(id));
    return session && session.endsAt > this.#now() ? session : undefined;
  }

  open(): { id: string; session: Session } {
    this.#sweep();
    const id = random();
    const session: Session = { csrf: random(), secret: random(), endsAt: this.#now() + life, signIns: new Map() };
    this.#sessions.set(nameOf(id), session);
    return { id, session };
  }

  /** A new name at every sign-in: one that somebody planted in the browser before is worth nothing after it. */
  signIn(before: string | undefined, customer: SignedIn): { id: string; session: Session } {
    this.close(before);
    const opened = this.open();
    opened.session.customer = customer;
    return opened;
  }

  close(id: string | undefined): void {
    if (id !== undefined) this.#sessions.delete(nameOf(id));
  }

  /** For a customer who was erased. */
  closeAllOf(issuer: string, subject: string): void {
    this.end({ issuer, subject });
  }

  /** What began in that session at Holdfast, or without `sid` all that the customer has here. */
  end({ issuer, subject, sid }: Ended): void {
    for (const [name, { customer }] of this.#sessions) {
      if (customer?.issuer === issuer && (sid === undefined ? customer.subject === subject : customer.sid === sid))
        this.#sessions.delete(name);
    }
  }

  /** All live equally long, so the oldest end first. */
  #sweep(): void {
    for (const [name, { endsAt }] of this.#sessions) {
      if (endsAt > this.#now()) return;
      this.#sessions.delete(name);
    }
  }
}

export function keepSignIn({ signIns }: Session, state: string, begun: Begun): void {
  signIns.set(state, begun);
  for (const oldest of signIns.keys()) if (signIns.size > signInsKept) signIns.delete(oldest);
}

/** Each counts once. */
export function takeSignIn(session: Session | undefined, state: string | null): Begun | undefined {
  const begun = state === null ? undefined : session?.signIns.get(state);
  if (begun) session!.signIns.delete(state!);
  return begun;
}

export function csrfMatches(session: Session | undefined, given: string | null): boolean {
  if (!session || given === null) return false;
  return timingSafeEqual(digest(session.csrf), digest(given));
}

/** The same form sent twice has the same key; another browser, form or content has another. */
export function idempotencyKey({ secret }: Session, ...what: string[]): string {
  return digest(JSON.stringify([secret, ...what])).toString('base64url');
}

export function random(): string {
  return randomBytes(32).toString('base64url');
}

/** So that a copy of the memory opens no session. */
function nameOf(id: string): string {
  return digest(id).toString('base64url');
}

function digest(text: string): Buffer {
  return createHash('sha256').update(text).digest();
}

import type { Account } from '../accounts/accounts.ts';
import type { Shop } from '../shop.ts';
import type { Html } from './html.ts';
import type { Session } from './sessions.ts';

/** One request of a browser. */
export interface Visit {
  readonly shop: Shop;
  /** Below the shop's own, such as /sign-up. */
  readonly path: string;
  readonly query: URLSearchParams;
  /** What stands in place of `:name` in the route. */
  readonly params: Record<string, string>;
  /** Empty but for a POST, whose CSRF token was right. */
  readonly form: URLSearchParams;
  sessionId: string | undefined;
  session: Session | undefined;
}

export type Answer = { status: number; page: Page } | { redirectTo: string };

export interface Page {
  title: string;
  body: Html;
  /** For lists. */
  wide?: boolean;
  /** Has a form with the widget of the proof of presence. */
  widget?: boolean;
}

export type Handler = (visit: Visit) => Promise<Answer> | Answer;

/** The browser's session; opened when there is something to remember, so that a mere look leaves no cookie. */
export function sessionOf(visit: Visit): Session {
  if (!visit.session) {
    const { id, session } = visit.shop.sessions.open();
    visit.sessionId = id;
    visit.session = session;
  }
  return visit.session;
}

/** The account of who is signed in, if they have one here. */
export function accountOf({ shop, session }: Visit): Account | undefined {
  return session?.customer && shop.accounts.find(session.customer.issuer, session.customer.subject);
}

export function show(page: Page, status = 200): Answer {
  return { status, page };
}

export function redirect({ shop }: Visit, path: string): Answer {
  return { redirectTo: shop.settings.path + path };
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts.ts';

interface PageData {
  title: string;
  /** For lists. */
  isWide?: boolean;
  /** The page has a form. The layout's own form, sign-out, is there when a customer is signed in. */
  hasForm?: boolean;
  /** The page has a form with the presence widget. */
  hasWidget?: boolean;
  [name: string]: unknown;
}

/** Renders a template inside the layout. A notice in the session is shown once. */
export function renderPage(reply: FastifyReply, template: string, data: PageData): FastifyReply {
  const { session, server } = reply.request;
  const { name, settings } = server.shop;
  const { notice, customer } = session;
  delete session.notice;
  return reply.view(`${template}.hbs`, {
    ...data,
    shop: { name, path: settings.path, theme: settings.organization, challengeUrl: settings.challengeUrl },
    pageTitle: data.title === name ? name : `${data.title} – ${name}`,
    isSignedIn: customer !== undefined,
    notice: notice && { ...notice, role: notice.kind === 'good' ? 'status' : 'alert' },
    widget: data.hasWidget && settings.widget,
    // A token needs a session, and a session needs a cookie. Pages without a form need neither.
    csrfToken: data.hasForm || data.hasWidget || customer ? reply.generateCsrf() : undefined,
  });
}

/** Renders a page with a heading, a sentence and links. */
export function renderMessage(reply: FastifyReply, status: number, message: Message): FastifyReply {
  return renderPage(reply.code(status), 'message', { ...message });
}

interface Message {
  title: string;
  text: string;
  /** For developers, such as an error code. */
  small?: string;
  /** Shown after the links. */
  hint?: string;
  signInLink?: boolean;
}

/** Redirects to a path of the shop, such as "/account", after a form (303: the browser follows with GET). */
export function redirectTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.redirect(reply.server.shop.settings.path + path, 303);
}

/** The account of the customer who is signed in, if they have one at this shop. */
export function signedInAccount({ session, server }: FastifyRequest): Account | undefined {
  return session.customer && server.shop.accounts.find(session.customer.issuer, session.customer.subject);
}

import type { FastifyReply, FastifyRequest } from 'fastify';
import type { Account } from '../accounts/accounts.ts';

interface PageData {
  title: string;
  /** For lists. */
  isWide?: boolean;
  /** The page has a form. The layout's own form, sign-out, is there when somebody is signed in. */
  hasForm?: boolean;
  /** The page has a form with the presence widget. */
  hasWidget?: boolean;
  /** A script of the shop, from the folder `public`. */
  script?: string;
  [name: string]: unknown;
}

/** Renders a template inside the layout. A notice in the session is shown once. */
export function renderPage(reply: FastifyReply, template: string, data: PageData): FastifyReply {
  const { session, server } = reply.request;
  const { area, shop } = server;
  const { name, settings } = shop;
  const { notice, customer, staff } = session;
  const isSignedIn = customer !== undefined || staff !== undefined;
  delete session.notice;
  return reply.view(`${template}.hbs`, {
    ...data,
    shop: {
      name,
      path: settings.path,
      theme: settings.organization,
      challengeUrl: settings.challengeUrl,
      hasStaffArea: shop.staff !== undefined,
      hasEvents: shop.securityEvents !== undefined,
    },
    area: { path: area.path, isStaff: area.kind === 'staff' },
    staffName: staff?.claims.name,
    pageTitle: data.title === name ? name : `${data.title} – ${name}`,
    isSignedIn,
    notice: notice && { ...notice, role: notice.kind === 'good' ? 'status' : 'alert' },
    widget: data.hasWidget && settings.widget,
    // A token needs a session, and a session needs a cookie. Pages without a form need neither.
    csrfToken: data.hasForm || data.hasWidget || isSignedIn ? reply.generateCsrf() : undefined,
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
  /** Text of a link to the sign-in page. */
  signInLink?: string;
  /** The link asks for a passkey although the browser is signed in at the issuer. */
  anotherPasskey?: boolean;
}

/** Redirects to a path of the area, such as "/account", after a form (303: the browser follows with GET). */
export function redirectTo(reply: FastifyReply, path: string): FastifyReply {
  return reply.redirect(reply.server.area.path + path, 303);
}

/** The account of the customer who is signed in, if they have one at this shop. */
export function signedInAccount({ session, server }: FastifyRequest): Account | undefined {
  return session.customer && server.shop.accounts.find(session.customer.issuer, session.customer.subject);
}

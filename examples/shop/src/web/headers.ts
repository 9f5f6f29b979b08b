import type { Settings } from '../config.ts';

/**
 * Nothing from elsewhere but the widget where a form has it, no inline script, in nobody's frame. Forms go to
 * ourselves; sign-out goes on to the issuer, and a browser holds the redirect after a form to form-action as well.
 */
export function pageHeaders({ issuer }: Settings, widget = false): Record<string, string> {
  const holdfast = new URL(issuer).origin;
  // The widget solves its challenge in a worker, which is of the page's own origin: a blob that loads Holdfast's
  // script.
  const forWidget = widget
    ? `script-src ${holdfast}; connect-src ${holdfast}; worker-src blob:; style-src 'self' ${holdfast}`
    : `style-src 'self'`;
  return {
    'content-type': 'text/html; charset=utf-8',
    'cache-control': 'no-store',
    'content-security-policy': `default-src 'none'; ${forWidget}; img-src 'self'; form-action 'self' ${holdfast}; base-uri 'none'; frame-ancestors 'none'`,
    ...plainHeaders,
  };
}

export const plainHeaders = {
  'x-content-type-options': 'nosniff',
  // Staff pages have customers in their addresses.
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
};

/**
 * Browsers do not tell ports apart for cookies, so the app's name is in the cookie's. On https the prefix __Host- would
 * be better still.
 */
export function cookieName({ app }: Settings): string {
  return `${app}-session`;
}

/** Lax: it comes along when the issuer leads back to us, and not with a POST from another site. */
export function sessionCookie(settings: Settings, id: string | undefined): string {
  const secure = settings.origin.startsWith('https:') ? '; Secure' : '';
  return `${cookieName(settings)}=${id ?? ''}; Path=${settings.path}; HttpOnly; SameSite=Lax${secure}${id === undefined ? '; Max-Age=0' : ''}`;
}

export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of (header ?? '').split(';')) {
    const [key, value] = part.trim().split('=');
    if (key === name && value) return value;
  }
  return undefined;
}

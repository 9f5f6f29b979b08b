/** The path of a page's JSON routes: `/o/acme/claim` → `/o/acme/api/claim`. */
export function apiOf(pathname: string): string {
  return pathname.replace(/^\/o\/([^/]+)\//, '/o/$1/api/').replace(/\/+$/, '');
}

/**
 * An address that a page may link or redirect to: http, https, or an app's private-use scheme, which has a dot
 * (RFC 8252 §7.1).
 *
 * @returns undefined for every other address, above all for `javascript:`
 */
export function safeAddress(text: string | undefined, here: string): string | undefined {
  if (!text || !URL.canParse(text, here)) return undefined;
  const { protocol, href } = new URL(text, here);
  return /^(https?|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+):$/.test(protocol) ? href : undefined;
}

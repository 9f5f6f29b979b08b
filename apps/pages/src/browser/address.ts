/**
 * Where a page's JSON routes are: `/o/acme/claim` → `/o/acme/api/claim`, `/o/acme/sign-in/X` → `/o/acme/api/sign-in/X`.
 */
export function apiOf(pathname: string): string {
  return pathname.replace(/^\/o\/([^/]+)\//, '/o/$1/api/').replace(/\/+$/, '');
}

/**
 * An address that a page may lead to: the web, or an app's private-use scheme, which has a dot (RFC 8252 §7.1).
 * Whatever else stands there (`javascript:` above all) leads nowhere.
 */
export function safeAddress(text: string | undefined, here: string): string | undefined {
  if (!text || !URL.canParse(text, here)) return undefined;
  const { protocol, href } = new URL(text, here);
  return /^(https?|[a-z][a-z0-9+-]*(\.[a-z0-9+-]+)+):$/.test(protocol) ? href : undefined;
}

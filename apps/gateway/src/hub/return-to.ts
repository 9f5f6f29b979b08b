const maxLength = 512;

/**
 * The address of a page of this hub to which the browser returns after the sign-in; undefined for any other, so that no
 * link to the sign-in leads to another site. The URL parser decides, as in the browser, and the result is compared with
 * what was given: anything that is parsed as something else (`//host`, a backslash, a tab, `..`) is refused.
 */
export function returnAddressOf(given: string, shortId: string, baseUrl: string): string | undefined {
  const page = `/hub/${shortId}`;
  if (given.length > maxLength || !URL.canParse(given, baseUrl)) return undefined;
  const { origin, pathname, search, hash } = new URL(given, baseUrl);
  if (origin !== new URL(baseUrl).origin || pathname + search + hash !== given) return undefined;
  if (pathname !== page && !pathname.startsWith(`${page}/`)) return undefined;
  // A sign-in that returns to a sign-in would go round for ever.
  return /\/(sign-in|callback|sign-out)$/.test(pathname) ? undefined : given;
}

/**
 * What is kept of a claim link in this tab, so that a reload survives; per organization, since one tab may open
 * several.
 */
const keyOf = (pathname: string) => `holdfast:${pathname}`;

/**
 * Takes the token out of the address bar at once, where a shoulder, a screenshot or the history would find it, and
 * keeps it for this tab alone. A browser that forbids storage still claims; only a reload asks for the link again.
 */
export function takeToken(): string | undefined {
  const { hash, pathname, search } = location;
  const key = keyOf(pathname);
  if (hash.length < 2) return kept(() => sessionStorage.getItem(key)) ?? undefined;
  const token = hash.slice(1);
  history.replaceState(null, '', pathname + search);
  kept(() => sessionStorage.setItem(key, token));
  return token;
}

function kept<T>(act: () => T): T | undefined {
  try {
    return act();
  } catch {
    return undefined;
  }
}

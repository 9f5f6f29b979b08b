/** A key per organization, since one tab may open links of several. */
const storageKeyOf = (pathname: string) => `holdfast:${pathname}`;
const usedKeyOf = (pathname: string) => `holdfast:${pathname}:used`;

/**
 * Removes the token from the address bar, where screenshots and the history would reveal it, and stores it for reloads
 * of this tab. Without storage the claim works, but a reload needs the link again.
 */
export function takeToken(): string | undefined {
  const { hash, pathname, search } = location;
  const key = storageKeyOf(pathname);
  if (hash.length < 2) return withStorage(() => sessionStorage.getItem(key)) ?? undefined;
  const token = hash.slice(1);
  history.replaceState(null, '', pathname + search);
  withStorage(() => sessionStorage.setItem(key, token));
  return token;
}

/**
 * Puts the token back into the address, for a browser that cannot use the link: "Open in another browser", "Share" and
 * a bookmark pass the address on.
 * @returns the whole link
 */
export function returnToken(token: string): string {
  const { pathname, search } = location;
  history.replaceState(null, '', `${pathname}${search}#${token}`);
  return location.href;
}

/** Remembers that this tab has used the link, so that a reload does not look as if somebody else had. */
export function rememberUse(token: string): void {
  withStorage(() => sessionStorage.setItem(usedKeyOf(location.pathname), token));
}

export function wasUsedHere(token: string | undefined): boolean {
  return token !== undefined && withStorage(() => sessionStorage.getItem(usedKeyOf(location.pathname))) === token;
}

function withStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

/** A key per organization, since one tab may open links of several. */
const storageKeyOf = (pathname: string) => `holdfast:${pathname}`;

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

function withStorage<T>(use: () => T): T | undefined {
  try {
    return use();
  } catch {
    return undefined;
  }
}

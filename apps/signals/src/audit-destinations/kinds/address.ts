/** The address of a path below a base address, whether or not that ends with a slash. */
export function urlBelow(base: string, path: string): string {
  const url = new URL(base);
  url.pathname = `${url.pathname.replace(/\/+$/, '')}/${path}`;
  return url.href;
}

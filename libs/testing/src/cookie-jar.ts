export interface Cookie {
  name: string;
  value: string;
  path: string;
}

/** Cookies by name and path (RFC 6265 §5.3, §5.4). Of an expiration it only matters whether it is in the past. */
export class CookieJar {
  cookies: Cookie[] = [];

  /** Stores the `Set-Cookie` headers of a response to a request for `requestPath`. */
  keep(headers: readonly string[], requestPath = '/'): void {
    for (const header of headers) {
      const [pair = '', ...attributes] = header.split(';').map((text) => text.trim());
      const attribute = (key: string): string | undefined =>
        attributes.find((a) => a.toLowerCase().startsWith(`${key}=`))?.slice(key.length + 1);
      const at = pair.indexOf('=');
      const [name, value, path] = [pair.slice(0, at), pair.slice(at + 1), attribute('path') ?? requestPath];
      const expires = attribute('expires');
      const isExpired = value === '' || (expires !== undefined && Date.parse(expires) <= Date.now());
      this.cookies = this.cookies.filter((c) => c.name !== name || c.path !== path);
      if (!isExpired) this.cookies.push({ name, value, path });
    }
  }

  /** The `Cookie` header for a path; empty when there is nothing to send. */
  for(pathname: string): string {
    return this.cookies
      .filter(({ path }) => isBelow(pathname, path))
      .map(({ name, value }) => `${name}=${value}`)
      .join('; ');
  }
}

/** Whether a cookie of `path` is sent for `pathname` (RFC 6265 §5.1.4). */
function isBelow(pathname: string, path: string): boolean {
  return pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`);
}

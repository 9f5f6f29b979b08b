/** The cookies of one sign-in, by name and path (RFC 6265 §5.3, §5.4). Only an expiration in the past matters. */
export class CookieJar {
  readonly #kept = new Map<string, { pair: string; path: string }>();

  keep(lines: readonly string[]): void {
    for (const line of lines) {
      const [pair = '', ...attributes] = line.split(';').map((part) => part.trim());
      const value = (name: string): string | undefined =>
        attributes.find((a) => a.toLowerCase().startsWith(`${name}=`))?.slice(name.length + 1);
      const [path, expires] = [value('path') ?? '/', value('expires')];
      const key = `${pair.slice(0, pair.indexOf('='))} ${path}`;
      if (pair.endsWith('=') || (expires !== undefined && Date.parse(expires) <= Date.now())) this.#kept.delete(key);
      else this.#kept.set(key, { pair, path });
    }
  }

  /** The `Cookie` header for a path; empty when there is nothing to send. */
  for(pathname: string): string {
    const sent = [...this.#kept.values()].filter(
      ({ path }) => pathname === path || pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
    );
    return sent.map(({ pair }) => pair).join('; ');
  }
}

import type { IncomingHttpHeaders } from 'node:http';

/** Methods that change nothing (RFC 9110 §9.2.1). */
const safeMethods: readonly string[] = ['GET', 'HEAD'];

/**
 * Whether a request that a cookie authorizes comes from our own pages, or from the address bar. Browsers send `Origin`
 * with every request that can change something, and `Sec-Fetch-Site` with every request over https or to localhost; no
 * page can set either. Other subdomains count as other sites.
 */
export function isFromOwnPage(method: string, headers: IncomingHttpHeaders, ownOrigin: string): boolean {
  const { origin, 'sec-fetch-site': site } = headers;
  if (!safeMethods.includes(method)) return origin === ownOrigin && (site === undefined || site === 'same-origin');
  return (
    (origin === undefined || origin === ownOrigin) && (site === undefined || site === 'same-origin' || site === 'none')
  );
}

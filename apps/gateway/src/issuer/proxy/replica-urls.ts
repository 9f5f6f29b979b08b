import dns from 'node:dns/promises';
import { isIP } from 'node:net';

/** One replica of auth: where it listens, and the name that its certificate has. */
export interface ReplicaAddress {
  /** Origin with an IP address, or the URL as configured when its host needs no look-up. */
  url: string;
  hostname: string;
}

/**
 * The replicas behind a URL: one for each address that its name resolves to, as for a headless Service of Kubernetes.
 * Otherwise connections of one pool would reach different replicas, and one that stops or hangs could not be avoided.
 *
 * @throws Error of the resolver
 */
export async function replicasBehind(configured: string): Promise<ReplicaAddress[]> {
  const url = new URL(configured);
  const hostname = url.hostname.replace(/^\[|\]$/g, '');
  if (isIP(hostname) || hostname === 'localhost') return [{ url: configured, hostname }];
  const found = await dns.lookup(hostname, { all: true, order: 'verbatim' });
  // A replica in a dual-stack cluster has an address of each family, and counts once.
  const addresses = found.filter(({ family }) => family === found[0]?.family);
  return addresses.map(({ address, family }) => {
    const host = family === 6 ? `[${address}]` : address;
    return { url: `${url.protocol}//${host}${url.port === '' ? '' : `:${url.port}`}`, hostname };
  });
}

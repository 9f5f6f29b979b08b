import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { requireDestination, type OutboundRules } from './destination.js';
import { notAllowed, OutboundError } from './outbound-error.js';
import { isPublicAddress } from './public-address.js';

/** The addresses of a name, IPv4 and IPv6; throws when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const connectTimeoutMs = 5000;

/**
 * Queries the name servers directly. getaddrinfo blocks one of four threads while a name server does not respond, and
 * the same threads sign tokens: a URL that somebody registered could stop that.
 */
export const resolveWithNameServers: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const results = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return results.flatMap((result) => (result.status === 'fulfilled' ? result.value : []));
};

/**
 * Connects to the addresses that were checked: they come from one lookup, and all of them must be public. A name that
 * resolves to another address a moment later changes nothing (DNS rebinding).
 */
export function guardedConnector(rules: OutboundRules, resolve: Resolve): buildConnector.connector {
  const lookup: LookupFunction = (hostname, options, done) => {
    void publicAddresses(hostname, resolve).then(
      (found) => {
        const usable = found.filter(
          ({ family }) =>
            options.family === undefined ||
            options.family === 0 ||
            options.family === family ||
            options.family === `IPv${family}`,
        );
        const [first] = usable;
        if (!first) return done(new OutboundError('no response', 'no response: the name does not resolve.'), '');
        return options.all ? done(null, usable) : done(null, first.address, first.family);
      },
      (error: unknown) => done(error as Error, ''),
    );
  };
  // Set explicitly, because an environment variable can disable verification as the default.
  const tls = { rejectUnauthorized: true, timeout: connectTimeoutMs };
  const direct = buildConnector(tls);
  const guarded = buildConnector({ ...tls, lookup });
  return (options, done) => {
    const url = `${options.protocol}//${options.host ?? options.hostname}`;
    try {
      // Checked again, since a literal address is connected to without a lookup.
      const { origin } = requireDestination(url, rules);
      (rules.allow.includes(origin) ? direct : guarded)(options, done);
    } catch (error) {
      done(error as Error, null);
    }
  };
}

export async function publicAddresses(
  hostname: string,
  resolve: Resolve,
): Promise<{ address: string; family: 4 | 6 }[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError('no response', 'no response: the name does not resolve.');
  // Rejected even if only one is not public, since any of them may be chosen.
  if (!addresses.every(isPublicAddress))
    throw notAllowed('its name leads to an address that is not of the public internet.');
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

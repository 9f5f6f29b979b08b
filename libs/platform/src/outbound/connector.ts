import { Resolver } from 'node:dns/promises';
import type { LookupFunction } from 'node:net';
import { buildConnector } from 'undici';
import { requireDestination, type OutboundRules } from './destination.js';
import { notAllowed, OutboundError } from './outbound-error.js';
import { isPublicAddress } from './public-address.js';

/** The addresses of a name, IPv4 and IPv6; throws when there are none. */
export type Resolve = (hostname: string) => Promise<string[]>;

const connectTimeout = 5000;

/**
 * Asks the name servers themselves. The system's own way, getaddrinfo, occupies one of four threads for as long as a
 * name server keeps silent, and the same threads sign tokens: an address that somebody registered could bring that to a
 * halt.
 */
export const resolveWithNameServers: Resolve = async (hostname) => {
  const resolver = new Resolver({ timeout: 2000, tries: 2 });
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)]);
  return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []));
};

/**
 * Connects to what was looked at: the addresses come from one look-up, all of them must be public, and the socket is
 * opened to one of them, so that a name which resolves to something else a moment later changes nothing (DNS
 * rebinding).
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
        if (!first) return done(new OutboundError('no answer', 'no answer: the name does not resolve.'), '');
        return options.all ? done(null, usable) : done(null, first.address, first.family);
      },
      (error: unknown) => done(error as Error, ''),
    );
  };
  // Said here, because an environment variable could turn the verification off for all that says nothing.
  const tls = { rejectUnauthorized: true, timeout: connectTimeout };
  const direct = buildConnector(tls);
  const guarded = buildConnector({ ...tls, lookup });
  return (options, done) => {
    const url = `${options.protocol}//${options.host ?? options.hostname}`;
    try {
      // Once more, since a literal address is connected to without any look-up.
      const { origin } = requireDestination(url, rules);
      (rules.allow.includes(origin) ? direct : guarded)(options, done);
    } catch (error) {
      done(error as Error, null);
    }
  };
}

async function publicAddresses(hostname: string, resolve: Resolve): Promise<{ address: string; family: 4 | 6 }[]> {
  const addresses = await resolve(hostname);
  if (addresses.length === 0) throw new OutboundError('no answer', 'no answer: the name does not resolve.');
  // One that is not public among others is a trick or a mistake, and which of them is taken would be luck.
  if (!addresses.every(isPublicAddress))
    throw notAllowed('its name leads to an address that is not of the public internet.');
  return addresses.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }));
}

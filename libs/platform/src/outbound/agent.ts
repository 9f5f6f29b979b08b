// The part of the outbound client that needs undici. Most processes call nobody, and the library takes 3 MB of heap and
// 100 ms of CPU time at the start, so outbound.ts loads this file for its first request.
import type { LookupFunction } from 'node:net';
import { Agent, buildConnector } from 'undici';
import { isException, requireDestination, type OutboundRules } from './destination.js';
import { OutboundError } from './outbound-error.js';
import { publicAddresses, type Resolve } from './public-addresses.js';

export { request } from 'undici';

const connectTimeoutMs = 5000;

/** An agent that connects to addresses that the rules allow, and to no other. */
export function guardedAgent(rules: OutboundRules, resolve: Resolve): Agent {
  return new Agent({ connect: guardedConnector(rules, resolve), maxHeaderSize: 16_384 });
}

/**
 * Connects to the addresses that were checked: they come from one lookup, and all of them must be public. A name that
 * resolves to another address a moment later changes nothing (DNS rebinding).
 */
function guardedConnector(rules: OutboundRules, resolve: Resolve): buildConnector.connector {
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
      const destination = requireDestination(url, rules);
      (isException(destination, rules) ? direct : guarded)(options, done);
    } catch (error) {
      done(error as Error, null);
    }
  };
}

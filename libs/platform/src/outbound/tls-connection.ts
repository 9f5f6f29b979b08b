import { isIP } from 'node:net';
import tls, { type TLSSocket } from 'node:tls';
import { isException, requireDestination, type OutboundRules } from './destination.js';
import { publicAddresses, type Resolve } from './public-addresses.js';

interface TlsTarget {
  host: string;
  port: number;
  ca: string | undefined;
  signal: AbortSignal;
}

/** Of syslog over TLS (RFC 5425). It may be called besides the ports of the rules: no other protocol has it. */
const syslogTlsPort = 6514;

/**
 * The origin by which OUTBOUND_ALLOW names a TLS server, since it has no other URL.
 * @throws OutboundError `address not allowed`
 */
export function requireTlsDestination(host: string, port: number, rules: OutboundRules): URL {
  const bracketed = isIP(host) === 6 ? `[${host}]` : host;
  return requireDestination(`https://${bracketed}:${port}`, { ...rules, ports: [...rules.ports, syslogTlsPort] });
}

/** Connects to an address that was checked, as the connector of HTTP does: a name is looked up once. */
export async function guardedTlsConnection(
  { host, port, ca, signal }: TlsTarget,
  rules: OutboundRules,
  resolve: Resolve,
): Promise<TLSSocket> {
  const destination = requireTlsDestination(host, port, rules);
  const address =
    isIP(host) || isException(destination, rules)
      ? host
      : (await within(signal, publicAddresses(host, resolve)))[0]!.address;
  const socket = tls.connect({
    host: address,
    port,
    ...(isIP(host) ? {} : { servername: host }),
    // Set explicitly, because an environment variable can disable verification as the default.
    rejectUnauthorized: true,
    ...(ca !== undefined && { ca }),
  });
  const connected = new Promise<void>((done, failed) => {
    socket.once('secureConnect', done);
    socket.once('error', failed);
  });
  try {
    await within(signal, connected);
    return socket;
  } catch (error) {
    socket.on('error', () => undefined).destroy();
    throw error;
  }
}

/** @throws the reason of the signal once it aborts */
function within<T>(signal: AbortSignal, work: Promise<T>): Promise<T> {
  const aborted = new Promise<never>((_, failed) => {
    if (signal.aborted) failed(signal.reason as Error);
    signal.addEventListener('abort', () => failed(signal.reason as Error), { once: true });
  });
  return Promise.race([work, aborted]);
}

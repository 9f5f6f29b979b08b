import { isIP } from 'node:net';
import { notAllowed } from './outbound-error.js';
import { isPublicAddress } from './public-address.js';

export interface OutboundRules {
  /** Exact origins that may be called whatever their scheme, address and port. */
  allow: readonly string[];
  /** Whether every port of this machine may be called, by its loopback address or as `localhost`. */
  loopback?: boolean;
  /** Ports that may be called on all other hosts. */
  ports: readonly number[];
}

/** `localhost` itself and no name below it: those are looked up, and a name server may answer anything. */
const loopbackHost = /^(localhost|127\.\d{1,3}\.\d{1,3}\.\d{1,3}|\[::1\])$/;

/** Whether a URL is an exception: it may be called whatever its scheme, address and port. */
export function isException({ origin, hostname }: URL, { allow, loopback = false }: OutboundRules): boolean {
  return allow.includes(origin) || (loopback && loopbackHost.test(hostname));
}

/** The IP address in a URL, without brackets; undefined if the host is a name. */
function literalAddress(hostname: string): string | undefined {
  const bare = hostname.replace(/^\[|\]$/g, '');
  return isIP(bare) ? bare : undefined;
}

/**
 * Checks everything about a URL that does not need a lookup; the connector checks the addresses of its name. The URL
 * parser has normalized decimal, octal and hexadecimal hosts (WHATWG URL §3.5).
 * @throws OutboundError `address not allowed`, with a reason for the person who registers the URL
 */
export function requireDestination(url: string, rules: OutboundRules): URL {
  if (!URL.canParse(url)) throw notAllowed('it is not a URL.');
  const parsed = new URL(url);
  const { protocol, hostname, port, username, password } = parsed;
  const { ports } = rules;
  if (username || password) throw notAllowed('it must hold no user name or password.');
  if (!/^https?:$/.test(protocol)) throw notAllowed('it must be an https address.');
  if (isException(parsed, rules)) return parsed;
  if (protocol !== 'https:') throw notAllowed('it must be an https address.');
  if (!ports.includes(Number(port || 443))) throw notAllowed(`its port must be ${ports.join(' or ')}.`);
  const address = literalAddress(hostname);
  if (address !== undefined && !isPublicAddress(address))
    throw notAllowed('it is not an address of the public internet.');
  if (address === undefined && isLocalName(hostname))
    throw notAllowed('it is a name inside of a network and not of the public internet.');
  if (address === undefined && !hasWholeLabels(hostname))
    throw notAllowed('its name must not begin or end with a dot, or have two dots together.');
  return parsed;
}

/**
 * Top-level names that no public name server knows: RFC 6761, RFC 6762, RFC 7686, RFC 9476, ICANN's `internal`, those
 * that ICANN keeps free because networks use them (`corp`, `home`, `mail`), and those of Kubernetes, Docker and
 * routers.
 */
const localTopLevels = [
  ...['localhost', 'local', 'invalid', 'onion', 'alt', 'internal', 'corp', 'home', 'mail'],
  ...['svc', 'cluster', 'pod', 'docker', 'consul', 'localdomain', 'lan', 'intranet', 'private', 'arpa'],
];

/** Names that are local to one network, or have no dot. Services of Kubernetes are so in a cluster of any name. */
function isLocalName(hostname: string): boolean {
  const labels = hostname.split('.').filter((label) => label !== '');
  return labels.length < 2 || localTopLevels.includes(labels.at(-1)!) || labels.slice(1).includes('svc');
}

/**
 * Name servers read `shop.example.` as `shop.example`, and certificates and the origins of OUTBOUND_ALLOW do not. An
 * empty label is no name at all (RFC 1035 §2.3.1).
 */
function hasWholeLabels(hostname: string): boolean {
  return hostname.split('.').every((label) => label !== '');
}

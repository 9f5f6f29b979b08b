import { createHash, randomBytes, X509Certificate } from 'node:crypto';
import { changeData, type ObjectStore } from './kubernetes-api.js';
import { decoded, emptySecret, encoded } from './kubernetes-secret.js';

const user = 'route';
/** In seconds, as for clients (nats-config.ts). */
const timeout = 10;

/** What only the servers of a NATS cluster know: in a Secret of its own, which their pods mount. */
export interface RouteSecret {
  password?: string;
  /** Included in `cluster` of nats.conf. */
  'routes.conf'?: string;
  /** Included in `cluster.tls`: the keys of certificates by which a server may join. */
  'pins.conf'?: string;
}

/**
 * Creates the password by which servers join each other, once, and writes the files for nats.conf. Without them a
 * program with any certificate of the same CA could join as a server, for which no permission of any user holds.
 *
 * @param certificate of the servers (PEM); undefined when there is none that stays the same until it is renewed here
 * @returns whether anything has changed
 */
export async function createRoutes(
  store: ObjectStore,
  name: string,
  routes: readonly string[],
  certificate?: string,
): Promise<boolean> {
  const change = (data: Record<string, string>) => encoded(routeChanges(decoded(data), routes, certificate));
  return Object.keys(await changeData(store, emptySecret(name), change)).length > 0;
}

/** What of the Secret has to be written. */
export function routeChanges(
  existing: RouteSecret,
  routes: readonly string[],
  certificate?: string,
): Record<string, string> {
  const password = existing.password || randomBytes(32).toString('base64url');
  const wanted: Record<string, string> = {
    password,
    'routes.conf': conf({
      authorization: { user, password, timeout },
      routes: routes.map((route) => route.replace('://', `://${user}:${password}@`)),
    }),
    ...(certificate !== undefined && {
      'pins.conf': conf({ pinned_certs: pins(existing, certificate) }),
    }),
  };
  const known = existing as Record<string, string | undefined>;
  return Object.fromEntries(Object.entries(wanted).filter(([name, value]) => known[name] !== value));
}

/** The one before stays, because servers load a renewed certificate one after the other. */
function pins(existing: RouteSecret, certificate: string): string[] {
  const key = new X509Certificate(certificate).publicKey.export({
    type: 'spki',
    format: 'der',
  });
  const pin = createHash('sha256').update(key).digest('hex');
  const { pinned_certs: before = [] } = JSON.parse(existing['pins.conf'] || '{}') as { pinned_certs?: string[] };
  return [pin, ...before.filter((one) => one !== pin)].slice(0, 2);
}

function conf(value: unknown): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}

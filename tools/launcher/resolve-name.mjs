// Loaded by `--import` into programs of a stack whose host name the machine cannot resolve (BASE_URL). Within these
// programs it then stands for this machine, as an entry in /etc/hosts would make it. The query of this module's address
// names it: ?name=id.example.test&address=localhost
import dns from 'node:dns';
import { syncBuiltinESMExports } from 'node:module';

const query = new URL(import.meta.url).searchParams;
const [name, address] = [query.get('name'), query.get('address')];

/** @param {(hostname: string, ...more: unknown[]) => unknown} lookup */
const named = (lookup) => lookup;

/** @param {string} hostname */
const resolved = (hostname) => (hostname.toLowerCase() === name && address ? address : hostname);

for (const api of [dns, dns.promises]) {
  const lookup = /** @type {(hostname: string, ...more: unknown[]) => unknown} */ (/** @type {unknown} */ (api.lookup));
  Object.assign(api, { lookup: named((hostname, ...more) => lookup(resolved(hostname), ...more)) });
}
syncBuiltinESMExports();

import { resolve } from 'node:path';

export const help = `Usage: npm start -- [options]      (or: node tools/start.mjs [options])

  --replicas NAME=N,...   how many of a service to start, such as gateway=2,subjects=2 (default: one of each)
  --no-examples           leave out the example shop
  --build FOLDER          run the services of another clone's build, such as an older version, with this
                          version's tables and bus: "service start NAME --build FOLDER" replaces one
  --severable             let each service reach PostgreSQL and NATS through a link that "service cut" cuts
  --own-databases         give each service a database of its own, on the same server
  --shards NAME,...       further shards, each with its own PostgreSQL, NATS and services, such as eu2
  --reset                 delete all data, secrets and logs of this stack; it must not be running
  --help                  this text

Environment, or in the file .env of the clone:
  PORT                    port of the API (default 8080); a second gateway gets the next port
  BASE_URL                public address, such as https://localhost:8443 or https://id.example.test:8443:
                          links, issuers and redirect URIs begin with it. With https a local CA signs the
                          certificate (.holdfast/tls). PORT is needed when another program forwards to it
  HTTP_CERT_FILE, HTTP_KEY_FILE
                          your own certificate chain and key (PEM) for the host of BASE_URL
  HTTP_HOST               address to listen on with https (default localhost), such as 0.0.0.0
  SHOP_PORT, KIOSK_PORT   ports of the example shop and of its kiosk (default 4000 and 4001,
                          or free ones when these are taken)
  DATABASE_URL            use this PostgreSQL, as a superuser or an owner with CREATEROLE
  NATS_URL                use this nats-server, configured with the file the start prints
  HOLDFAST_HOME           folder for data, secrets and logs (default .holdfast)
  OUTBOUND_ALLOW          origins on other private addresses that services may call, comma separated, such as
                          http://192.168.1.5:3000; all of this machine may be called, on any port
`;

/**
 * @typedef {object} Options
 * @property {Record<string, number>} replicas
 * @property {string} [build] folder of another clone whose services are to run
 * @property {string[]} shards names of further shards, besides `main`
 * @property {boolean} reset
 * @property {boolean} severable whether services reach their servers through links that can be cut
 * @property {boolean} ownDatabases whether each service has a database of its own
 * @property {boolean} help
 * @property {string} baseUrl public address of the stack
 * @property {number} port
 * @property {string} host address that gateway and example shop listen on
 * @property {{ shop: number, kiosk: number } | undefined} examples ports of the example shop; undefined when it is left
 * out
 */

/**
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 * @returns {Options}
 * @throws {Error} with a sentence for the reader
 */
export function parseOptions(args, env) {
  /** @type {Options} */
  const options = {
    replicas: {},
    shards: [],
    reset: false,
    severable: false,
    ownDatabases: false,
    help: false,
    ...parseAddress(env),
    examples: parseShopPorts(env),
  };
  for (let i = 0; i < args.length; i++) {
    const arg = args[i] ?? '';
    const [name, inline] = arg.split(/=(.*)/s, 2);
    if (name === '--replicas') options.replicas = parseReplicas(inline ?? args[++i] ?? '');
    else if (name === '--build') options.build = resolve(inline ?? args[++i] ?? '');
    else if (name === '--shards') options.shards = parseShards(inline ?? args[++i] ?? '');
    else if (name === '--reset' && inline === undefined) options.reset = true;
    else if (name === '--severable' && inline === undefined) options.severable = true;
    else if (name === '--own-databases' && inline === undefined) options.ownDatabases = true;
    else if (name === '--no-examples' && inline === undefined) options.examples = undefined;
    else if ((name === '--help' || name === '-h') && inline === undefined) options.help = true;
    else throw new Error(`There is no option ${arg}.`);
  }
  return options;
}

/**
 * @param {NodeJS.ProcessEnv} env
 * @returns {Pick<Options, 'baseUrl' | 'port' | 'host'>}
 */
function parseAddress(env) {
  const url = env.BASE_URL ? parseBaseUrl(env.BASE_URL) : undefined;
  const host = env.HTTP_HOST || 'localhost';
  if (!isLoopback(host) && url?.protocol !== 'https:')
    throw new Error(
      `HTTP_HOST is "${host}", and on other addresses than those of this machine the stack is reached by https only, ` +
        'since requests contain secrets. Set BASE_URL to an https address.',
    );
  const port = parsePort('PORT', env.PORT || (url ? url.port || (url.protocol === 'https:' ? '443' : '80') : '8080'));
  return { baseUrl: url?.origin ?? `http://localhost:${port}`, port, host };
}

/** @param {string} text */
function parseBaseUrl(text) {
  const invalid = (/** @type {string} */ reason) =>
    new Error(`BASE_URL is "${text}", and ${reason}. Use an address such as https://localhost:8443.`);
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (!url || !/^https?:$/.test(url.protocol)) throw invalid('it must be an address with https');
  if (url.pathname !== '/' || url.search || url.hash || url.username || url.password)
    throw invalid('it must have nothing but scheme, host and port');
  if (/^[\d.]+$|^\[/.test(url.hostname)) throw invalid('browsers create no passkeys for an IP address');
  if (url.protocol === 'http:' && !isLoopback(url.hostname))
    throw invalid('browsers offer passkeys with https only, except on localhost');
  return url;
}

/** @param {string} host */
function isLoopback(host) {
  return host === 'localhost' || host === '::1' || /^127\.[\d.]+$/.test(host);
}

/** @param {NodeJS.ProcessEnv} env */
function parseShopPorts(env) {
  return {
    shop: parsePort('SHOP_PORT', env.SHOP_PORT || '4000'),
    kiosk: parsePort('KIOSK_PORT', env.KIOSK_PORT || '4001'),
  };
}

/**
 * @param {string} name of the variable
 * @param {string} text
 */
function parsePort(name, text) {
  const port = Number(text);
  if (Number.isInteger(port) && port >= 1 && port <= 65_535) return port;
  throw new Error(`${name} is "${text}"; it must be a number from 1 to 65535.`);
}

/**
 * @param {string} text such as gateway=2,subjects=2
 * @returns {Record<string, number>}
 */
function parseReplicas(text) {
  return Object.fromEntries(
    text.split(',').map((pair) => {
      const match = /^([a-z]+)=([1-9])$/.exec(pair.trim());
      if (!match)
        throw new Error(`--replicas needs NAME=N with N from 1 to 9, such as gateway=2,subjects=2, and got "${text}".`);
      return [match[1], Number(match[2])];
    }),
  );
}

/**
 * @param {string} text such as eu2,eu3
 * @returns {string[]}
 */
function parseShards(text) {
  const names = text.split(',').map((name) => name.trim());
  const wrong = names.find((name) => !/^[a-z][a-z0-9-]{0,30}$/.test(name) || name === 'main');
  if (wrong !== undefined || new Set(names).size < names.length)
    throw new Error(
      `--shards needs different names of lower-case letters, digits or hyphens, other than main, and got "${text}".`,
    );
  return names;
}

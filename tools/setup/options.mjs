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
  SHOP_PORT, KIOSK_PORT   ports of the example shop and of its kiosk (default 4000 and 4001,
                          or free ones when these are taken)
  DATABASE_URL            use this PostgreSQL, as a superuser or an owner with CREATEROLE
  NATS_URL                use this nats-server, configured with the file the start prints
  HOLDFAST_HOME           folder for data, secrets and logs (default .holdfast)
  OUTBOUND_ALLOW          origins on private addresses that services may call, comma separated,
                          such as http://localhost:3000 for back-channel logout to your own app
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
 * @property {number} port
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
    port: parsePort('PORT', env.PORT || '8080'),
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

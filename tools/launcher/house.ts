import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { databaseServices, natsUsers } from '@holdfast/contracts';
import { home, root } from '../setup/paths.mjs';
import { endOrphans, Leash } from '../infra/leash.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { lastWord, type Program } from '../infra/program.ts';
import { Refusal, say, seconds, shown, warn } from '../infra/say.ts';
import { createDatabase, setUpDatabase } from './database.ts';
import { knownOrganizations, putDemoAside, seedDemo, writeDemo, type Demo } from './demo.ts';
import { portVariables, settleShopPorts, shopOrigins, shopProgram, shopReadyUrl, type ShopPorts } from './examples.ts';
import { planInstances, type Instance } from './instances.ts';
import { Jobs } from './jobs.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { logOf, planNats, planPostgres, type Server } from './servers.ts';
import { serviceEnv, type Addresses } from './service-env.ts';
import { serviceProgram } from './service-program.ts';
import { Supervised } from './supervised.ts';

const patience = 120_000;
const secretsFile = join(home, 'secrets.json');

export interface Member {
  name: string;
  replica: number;
  readyUrl: string | null;
  supervised: Supervised;
}

/** All processes of one house, in the order in which they were started. */
export class House {
  readonly members: Member[] = [];
  readonly baseUrl: string;
  readonly #instances: Instance[];
  readonly #secrets: Secrets = loadSecrets(secretsFile, databaseServices, natsUsers);
  readonly #jobs = new Jobs(logOf('jobs'));
  readonly #leash = new Leash(home);
  /** Ports of the example shop; undefined when it is left out. */
  readonly examples: ShopPorts | undefined;
  #organizations: Demo['organizations'] | undefined;

  private constructor(baseUrl: string, instances: Instance[], examples: ShopPorts | undefined) {
    this.baseUrl = baseUrl;
    this.#instances = instances;
    this.examples = examples;
  }

  /** Ends what an earlier launcher left running, then makes everything ready to start. */
  static async prepare(port: number, replicas: Record<string, number>, wished: ShopPorts | undefined): Promise<House> {
    await endOrphans(home);
    requireSecretsOf(join(postgresFolder(home), 'data'));
    const instances = await planInstances(replicas, port);
    const examples = wished && (await settleShopPorts(wished, instances.flatMap(({ httpPort }) => httpPort ?? []), process.env));
    putDemoAside();
    return new House(`http://localhost:${port}`, instances, examples);
  }

  async start(): Promise<Addresses> {
    const database = await planPostgres(this.#secrets);
    await this.#serve('postgres', database);
    if (database.maintenanceUrl) await createDatabase(database.maintenanceUrl);
    const began = Date.now();
    await setUpDatabase(database.url, this.#secrets, this.#jobs);
    say(`  Tables are up to date (${seconds(began)})`);

    const nats = await planNats(this.#secrets);
    const bus = await this.#serve('nats', nats);
    await this.#declareBus(nats.url);
    // A nats-server that was started again may have lost its JetStream files.
    if (bus) bus.onReady = () => void this.#declareBus(nats.url).catch((error: Error) => warn(error.message));

    const addresses = { baseUrl: this.baseUrl, natsUrl: nats.url, databaseUrl: database.url, checkpointDir: join(home, 'checkpoints'), shopOrigins: shopOrigins(this.examples) };
    const exceptions = [...addresses.shopOrigins, ...(process.env.OUTBOUND_ALLOW?.split(',') ?? [])];
    if (exceptions.length > 0) say(`  OUTBOUND_ALLOW: services may also call ${exceptions.join(', ')}`);
    await this.#startServices(addresses);
    return addresses;
  }

  /** @returns the whole of demo.json, which from now on follows the pids of the services */
  async seed({ natsUrl }: Addresses): Promise<Demo> {
    try {
      this.#organizations = await seedDemo(this.#jobs, this.operatorEnv(natsUrl));
    } catch (error) {
      warn(`The house runs, but without its demo. ${(error as Error).message}`);
      this.#organizations = knownOrganizations();
    }
    return this.#publish();
  }

  /** The example shop, which reads what was seeded. @returns demo.json with it; a house without it is still a house */
  async openShop(): Promise<Demo> {
    if (!this.examples || !this.#organizations?.length) return this.#publish();
    const began = Date.now();
    const supervised = this.#add({ name: 'shop', replica: 1, readyUrl: shopReadyUrl(this.examples) }, shopProgram(this.examples, process.env));
    supervised.onChange = () => this.#publish();
    supervised.start();
    try {
      await this.#untilReady(supervised);
      say(`  shop is ready (${seconds(began)})`);
    } catch (error) {
      warn(`The house runs, but without the example shop. ${(error as Error).message}`);
    }
    return this.#publish();
  }

  operatorEnv(natsUrl: string): NodeJS.ProcessEnv {
    return { NATS_URL: natsUrl, NATS_NKEY_SEED: this.#secrets.nkeySeeds.operator, BASE_URL: this.baseUrl, ...(this.examples && portVariables(this.examples)) };
  }

  /** Services first, since they need the bus and the database to end well. */
  async stop(): Promise<void> {
    this.#jobs.end();
    const servers = this.members.filter((m) => m.readyUrl === null).reverse();
    await Promise.all(this.members.filter((m) => m.readyUrl !== null).map((m) => m.supervised.stop()));
    for (const { supervised } of servers) await supervised.stop();
    this.#leash.end();
  }

  async #serve(name: string, { title, program }: Server): Promise<Supervised | undefined> {
    if (!program) {
      say(`  Using ${title}`);
      return undefined;
    }
    const began = Date.now();
    const supervised = this.#add({ name, replica: 1, readyUrl: null }, program);
    supervised.start();
    await this.#untilReady(supervised);
    say(`  ${title} is up (${seconds(began)})`);
    return supervised;
  }

  async #startServices(addresses: Addresses): Promise<void> {
    const began = Date.now();
    const started = this.#instances.map((instance) => {
      const env = serviceEnv(instance, this.#instances, addresses, this.#secrets, process.env);
      const { service: name, replica, readyUrl } = instance;
      const supervised = this.#add({ name, replica, readyUrl }, serviceProgram(instance, env));
      supervised.onChange = () => this.#publish();
      supervised.start();
      return supervised;
    });
    await Promise.all(
      started.map(async (supervised) => {
        await this.#untilReady(supervised);
        say(`  ${supervised.program.name} is ready (${seconds(began)})`);
      }),
    );
  }

  #add(member: Omit<Member, 'supervised'>, program: Program): Supervised {
    const supervised = new Supervised(program, this.#leash);
    this.members.push({ ...member, supervised });
    return supervised;
  }

  async #untilReady(supervised: Supervised): Promise<void> {
    if (await supervised.untilReady(patience)) return;
    const { name, logFile } = supervised.program;
    throw new Refusal(`${name} does not get ready. It last said: ${lastWord(logFile)} (its log: ${shown(logFile)})`);
  }

  async #declareBus(natsUrl: string): Promise<void> {
    const env = { NATS_URL: natsUrl, NATS_NKEY_SEED: this.#secrets.nkeySeeds.deploy };
    await this.#jobs.run('The start job of the bus', [join(root, 'apps', 'cli', 'dist', 'main.js'), 'bus', 'declare'], env);
  }

  #publish(): Demo {
    const services = this.members.flatMap(({ name, replica, readyUrl, supervised }) =>
      readyUrl === null ? [] : [{ name, replica, pid: supervised.pid, readyUrl }],
    );
    const demo = { baseUrl: this.baseUrl, services, organizations: this.#organizations ?? [] };
    // Not before the seed is done: whoever waits for the file may count on what is in it.
    if (this.#organizations) writeDemo(demo);
    return demo;
  }
}

/** As root the data are outside of the clone, and outlive it: said at once, since no password that is made now opens them. */
function requireSecretsOf(data: string): void {
  if (process.env.DATABASE_URL || existsSync(secretsFile) || !existsSync(data)) return;
  throw new Refusal(`The database of this house is still there (${data}), but the secrets that open it are gone (${shown(secretsFile)}). Put them back, or begin anew: npm run reset`);
}

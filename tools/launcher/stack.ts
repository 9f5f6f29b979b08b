import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { streams } from '@holdfast/contracts';
import { nkeySeedName, type Secrets } from '@holdfast/platform-policy';
import { ChildProcessRegistry, stopOrphans } from '../infra/child-process-registry.ts';
import { displayPath, print, ReportedError, secondsSince, warn } from '../infra/console.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { lastErrorLine, type Program } from '../infra/program.ts';
import type { SeverableLink } from '../infra/severable-link.ts';
import { home, programOf } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { createDatabases, ownDatabaseUrls, setUpDatabases } from './database.ts';
import { declaredSettings, settingsWithoutEffect } from './declared-settings.ts';
import { previousOrganizations, seedDemo, setDemoAside, writeDemo, type Demo } from './demo.ts';
import { chooseShopPorts, shopOrigins, shopProgram, shopReadyUrl, shopVariables, type ShopPorts } from './examples.ts';
import { nameOnShard, planInstances, type Instance } from './instances.ts';
import { Jobs } from './jobs.ts';
import { throughLinks, type LinkedAddresses } from './links.ts';
import { restartWhenItStoresNothing } from './nats-restarts.ts';
import { passwordFileEnv } from './password-files.ts';
import type { PublicAddress } from './public-address.ts';
import { loadSecrets } from './secrets.ts';
import { folderOf, logOf, planNats, planPostgres, type Server } from './servers.ts';
import { serviceEnv, type Addresses, type ShardAddresses } from './service-env.ts';
import { serviceProgram } from './service-program.ts';
import { Supervised } from './supervised.ts';

const readyTimeoutMs = 120_000;
const secretsFile = join(home, 'secrets.json');
const passwordsFolder = join(home, 'passwords');

export interface Member {
  name: string;
  replica: number;
  readyUrl: string | null;
  /** The address that it listens on, when that is not the loopback address. */
  host?: string;
  supervised: Supervised;
  /** The program with the current settings; absent for programs without settings. */
  plan?: (more: NodeJS.ProcessEnv, build?: string) => Program;
  /** Writes its configuration with the current secrets; absent for programs that do not read it again. */
  configure?: () => void;
  /** Its connections to NATS and PostgreSQL, if they can be cut. */
  links?: SeverableLink[];
}

export interface StackOptions {
  address: PublicAddress;
  replicas: Record<string, number>;
  examples: ShopPorts | undefined;
  /** Folder of the build whose migrations and commands are used. */
  build: string;
  /** Folder of the build whose services are started: the same, or that of another version. */
  servicesFrom: string;
  /** Names of further shards, besides `main`. */
  shards: readonly string[];
  /** Whether services reach NATS and PostgreSQL through links that can be cut. */
  severable: boolean;
  /** Whether each service has a database of its own, on the same server. */
  ownDatabases: boolean;
}

/** All processes of one stack, in the order in which they were started. */
export class Stack {
  readonly members: Member[] = [];
  readonly #address: PublicAddress;
  readonly #instances: Instance[];
  readonly #build: string;
  readonly #servicesFrom: string;
  readonly #secrets: Secrets = loadSecrets(secretsFile);
  readonly #declared: ReadonlySet<string>;
  readonly #jobs: Jobs;
  readonly #children = new ChildProcessRegistry(home);
  /** Ports of the example shop; undefined when it is left out. */
  readonly examples: ShopPorts | undefined;
  #organizations: Demo['organizations'] | undefined;
  #endRestarts: (() => void) | undefined;
  readonly #severable: boolean;
  readonly #ownDatabases: boolean;
  readonly #shards: readonly string[];

  private constructor(options: StackOptions, instances: Instance[], declared: ReadonlySet<string>) {
    const { address, build, servicesFrom, examples, severable, ownDatabases, shards } = options;
    this.#address = address;
    this.#severable = severable;
    this.#ownDatabases = ownDatabases;
    this.#shards = shards;
    this.#build = build;
    this.#servicesFrom = servicesFrom;
    this.#instances = instances;
    this.#declared = declared;
    this.#jobs = new Jobs(logOf('jobs'), declared);
    this.examples = examples;
  }

  /** Ends processes of a killed launcher, and checks everything that can keep the stack from starting. */
  static async prepare(options: StackOptions): Promise<Stack> {
    const { address, replicas, shards, examples: preferred } = options;
    await stopOrphans(home);
    for (const shard of [undefined, ...shards]) requireSecretsOf(join(postgresFolder(folderOf(shard)), 'data'));
    const instances = await planInstances(replicas, address, shards);
    const examples =
      preferred &&
      (await chooseShopPorts(
        preferred,
        instances.flatMap(({ httpPort }) => httpPort ?? []),
        settings(),
      ));
    setDemoAside();
    const declared = await declaredSettings([options.build, options.servicesFrom]);
    for (const warning of settingsWithoutEffect(declared)) warn(`  ${warning}`);
    return new Stack({ ...options, examples }, instances, declared);
  }

  async start(): Promise<Addresses> {
    const main = await this.#startServers();
    const shards: Record<string, ShardAddresses> = {};
    for (const shard of this.#shards) shards[shard] = await this.#startServers(shard);
    const addresses: Addresses = {
      public: this.#address,
      ...main,
      ...(this.#shards.length > 0 && { shards }),
      shopOrigins: shopOrigins(this.#address, this.examples),
    };
    const exceptions = [...addresses.shopOrigins, ...(settings().OUTBOUND_ALLOW?.split(',') ?? [])];
    if (exceptions.length > 0) print(`  OUTBOUND_ALLOW: services may also call ${exceptions.join(', ')}`);
    if (settings().OUTBOUND_ALLOW_LOOPBACK !== 'false') print('  Services may call every port of this machine');
    await this.#startServices(addresses);
    return addresses;
  }

  /** Starts PostgreSQL and NATS of a shard, and creates what services need there. */
  async #startServers(shard?: string): Promise<ShardAddresses> {
    const external = shard === undefined ? settings() : {};
    const [databases, natsUrl] = await Promise.all([
      this.#startDatabase(external.DATABASE_URL, shard),
      this.#startBus(external.NATS_URL, shard),
    ]);
    return { natsUrl, ...databases, checkpointDir: join(folderOf(shard), 'checkpoints') };
  }

  async #startDatabase(
    external: string | undefined,
    shard: string | undefined,
  ): Promise<Pick<ShardAddresses, 'databaseUrl' | 'databaseUrls'>> {
    const database = await planPostgres(this.#secrets, external, shard);
    await this.#serve(nameOnShard('postgres', shard), database);
    const databases = {
      databaseUrl: database.url,
      ...(this.#ownDatabases && { databaseUrls: ownDatabaseUrls(database.url) }),
    };
    if (database.maintenanceUrl || this.#ownDatabases)
      await createDatabases(
        database.maintenanceUrl ?? database.url,
        Object.values(databases.databaseUrls ?? [database.url]),
      );
    const startedAt = Date.now();
    await setUpDatabases(databases, this.#secrets, this.#jobs, this.#build);
    print(`  Tables are up to date (${secondsSince(startedAt)})`);
    return databases;
  }

  /** @returns the address of the server */
  async #startBus(external: string | undefined, shard: string | undefined): Promise<string> {
    const nats = await planNats(this.#secrets, external, shard);
    const bus = await this.#serve(nameOnShard('nats', shard), nats);
    await this.#declareBus(nats.url);
    // A restarted nats-server may have lost its JetStream files.
    if (bus) bus.onReady = () => void this.#declareBus(nats.url).catch((error: Error) => warn(error.message));
    if (bus && shard === undefined) this.#restartWhenItStoresNothing(bus);
    return nats.url;
  }

  /** @returns the content of demo.json, whose pids are updated from now on */
  async seed(natsUrl: string): Promise<Demo> {
    try {
      this.#organizations = await seedDemo(this.#jobs, this.operatorEnv(natsUrl), this.#servicesFrom);
    } catch (error) {
      warn(`The stack runs, but without the demo organizations. ${(error as Error).message}`);
      this.#organizations = previousOrganizations();
    }
    return this.#publish();
  }

  /** Starts the example shop, which reads demo.json. Without it the stack still works. @returns demo.json with it */
  async startShop(): Promise<Demo> {
    if (!this.examples || !this.#organizations?.length) return this.#publish();
    const startedAt = Date.now();
    const [examples, address] = [this.examples, this.#address];
    const plan = (more: NodeJS.ProcessEnv): Program => shopProgram(address, examples, settings(more), this.#declared);
    const readyUrl = shopReadyUrl(address, examples);
    const supervised = this.#add({ name: 'shop', replica: 1, readyUrl, host: address.host, plan }, plan({}));
    supervised.onChange = () => this.#publish();
    supervised.start();
    try {
      await this.#untilReady(supervised);
      print(`  shop is ready (${secondsSince(startedAt)})`);
    } catch (error) {
      warn(`The stack runs, but without the example shop. ${(error as Error).message}`);
    }
    return this.#publish();
  }

  operatorEnv(natsUrl: string): NodeJS.ProcessEnv {
    return {
      NATS_URL: natsUrl,
      NATS_NKEY_SEED: this.#secrets[nkeySeedName('operator')],
      BASE_URL: this.#address.baseUrl,
      ...(this.examples && shopVariables(this.#address, this.examples)),
    };
  }

  #restartWhenItStoresNothing(nats: Supervised): void {
    const producers = Object.values(streams).map(({ producer }) => producer as string);
    const urls = () =>
      this.members.flatMap(({ name, readyUrl }) => (producers.includes(name) && readyUrl !== null ? [readyUrl] : []));
    // Directory also reports the streams of further shards, which this server does not store.
    const isOurs = (remark: string) => !this.#shards.some((shard) => remark.includes(` of the shard ${shard} `));
    this.#endRestarts = restartWhenItStoresNothing(nats, urls, isOurs);
  }

  /** Services first, since they need NATS and PostgreSQL to shut down cleanly. */
  async stop(): Promise<void> {
    this.#jobs.stop();
    this.#endRestarts?.();
    const servers = this.members.filter((m) => m.readyUrl === null).reverse();
    await Promise.all(this.members.filter((m) => m.readyUrl !== null).map((m) => m.supervised.stop()));
    for (const { supervised } of servers) await supervised.stop();
    this.#children.stopReaper();
  }

  async #serve(name: string, { title, program, configure }: Server): Promise<Supervised | undefined> {
    if (!program) {
      print(`  Using ${title}`);
      return undefined;
    }
    const startedAt = Date.now();
    const reconfigure = configure && { configure: () => configure(loadSecrets(secretsFile)) };
    const supervised = this.#add({ name, replica: 1, readyUrl: null, ...reconfigure }, program);
    supervised.start();
    await this.#untilReady(supervised);
    print(`  ${title} is ready (${secondsSince(startedAt)})`);
    return supervised;
  }

  async #startServices(addresses: Addresses): Promise<void> {
    const startedAt = Date.now();
    const shared = this.#instances.map(({ shard = '' }) => ({ ...addresses, ...addresses.shards?.[shard] }));
    const reached: LinkedAddresses[] = this.#severable ? await Promise.all(shared.map(throughLinks)) : shared;
    const started = this.#instances.map((instance, i) => {
      const { service, shard, replica, readyUrl, host } = instance;
      const name = nameOnShard(service, shard);
      const { links, ...own } = reached[i]!;
      const plan = (more: NodeJS.ProcessEnv, build = this.#servicesFrom): Program => {
        const secrets = loadSecrets(secretsFile);
        const env = serviceEnv(instance, this.#instances, own, secrets, settings(more), this.#declared);
        return serviceProgram(instance, { ...env, ...passwordFileEnv(passwordsFolder, service, secrets) }, build);
      };
      const supervised = this.#add({ name, replica, readyUrl, host, plan, ...(links && { links }) }, plan({}));
      supervised.onChange = () => this.#publish();
      supervised.start();
      return supervised;
    });
    await Promise.all(
      started.map(async (supervised) => {
        await this.#untilReady(supervised);
        print(`  ${supervised.program.name} is ready (${secondsSince(startedAt)})`);
      }),
    );
  }

  #add(member: Omit<Member, 'supervised'>, program: Program): Supervised {
    const supervised = new Supervised(program, this.#children);
    this.members.push({ ...member, supervised });
    return supervised;
  }

  async #untilReady(supervised: Supervised): Promise<void> {
    if (await supervised.untilReady(readyTimeoutMs)) return;
    const { name, logFile } = supervised.program;
    throw new ReportedError(
      `${name} did not become ready. Its last log line: ${lastErrorLine(logFile)} (log: ${displayPath(logFile)})`,
    );
  }

  async #declareBus(natsUrl: string): Promise<void> {
    const env = { NATS_URL: natsUrl, NATS_NKEY_SEED: this.#secrets[nkeySeedName('deploy')] };
    await this.#jobs.run('The declaration of the streams', [programOf(this.#build, 'cli'), 'bus', 'declare'], env);
  }

  #publish(): Demo {
    const services = this.members.flatMap(({ name, replica, readyUrl, supervised }) =>
      readyUrl === null ? [] : [{ name, replica, pid: supervised.pid, readyUrl }],
    );
    const demo = { baseUrl: this.#address.baseUrl, services, organizations: this.#organizations ?? [] };
    // Written only after the seed: programs that wait for the file rely on its content.
    if (this.#organizations) writeDemo(demo);
    return demo;
  }
}

/**
 * As root the data are outside the clone and outlive it. Without their secrets the start would fail later, at the
 * password of PostgreSQL.
 */
function requireSecretsOf(data: string): void {
  if (settings().DATABASE_URL || existsSync(secretsFile) || !existsSync(data)) return;
  throw new ReportedError(
    `The data of this stack exist (${data}), but its secrets are missing (${displayPath(secretsFile)}). ` +
      'Restore them, or delete the data: npm run reset',
  );
}

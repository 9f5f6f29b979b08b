import { existsSync } from 'node:fs';
import { statfs } from 'node:fs/promises';
import { join } from 'node:path';
import { databaseServices, natsUsers, streams } from '@holdfast/contracts';
import { ChildProcessRegistry, endOrphans } from '../infra/child-process-registry.ts';
import { postgresFolder } from '../infra/postgres-home.ts';
import { lastWord, type Program } from '../infra/program.ts';
import { ReportedError, say, seconds, shown, warn } from '../infra/say.ts';
import { SeverableLink } from '../infra/severable-link.ts';
import { home } from '../setup/paths.mjs';
import { settings } from '../setup/settings.mjs';
import { createDatabase, setUpDatabase } from './database.ts';
import { knownOrganizations, putDemoAside, seedDemo, writeDemo, type Demo } from './demo.ts';
import { portVariables, settleShopPorts, shopOrigins, shopProgram, shopReadyUrl, type ShopPorts } from './examples.ts';
import { planInstances, type Instance } from './instances.ts';
import { Jobs } from './jobs.ts';
import { knownSettings, settingsWithoutEffect } from './known-settings.ts';
import { loadSecrets, type Secrets } from './secrets.ts';
import { logOf, planNats, planPostgres, type Server } from './servers.ts';
import { serviceEnv, type Addresses } from './service-env.ts';
import { readiness, serviceProgram } from './service-program.ts';
import { StoreWatch } from './store-watch.ts';
import { Supervised } from './supervised.ts';

const readyTimeoutMs = 120_000;
const storeWatchMs = 5000;
const secretsFile = join(home, 'secrets.json');

export interface Member {
  name: string;
  replica: number;
  readyUrl: string | null;
  supervised: Supervised;
  /** How to run it by the settings of now; left out where there is nothing to set. */
  plan?: (more: NodeJS.ProcessEnv, build?: string) => Program;
  /** Its ways to NATS and PostgreSQL, where they can be cut. */
  links?: SeverableLink[];
}

export interface StackOptions {
  port: number;
  replicas: Record<string, number>;
  examples: ShopPorts | undefined;
  /** Folder of the build whose migrations and commands are used. */
  build: string;
  /** Folder of the build whose services are started: the same one, or another version's. */
  servicesFrom: string;
  /** Whether services reach their servers through links that can be cut. */
  severable: boolean;
}

/** All processes of one stack, in the order in which they were started. */
export class Stack {
  readonly members: Member[] = [];
  readonly baseUrl: string;
  readonly #instances: Instance[];
  readonly #build: string;
  readonly #servicesFrom: string;
  readonly #secrets: Secrets = loadSecrets(secretsFile, databaseServices, natsUsers);
  readonly #known: ReadonlySet<string>;
  readonly #jobs: Jobs;
  readonly #children = new ChildProcessRegistry(home);
  /** Ports of the example shop; undefined when it is left out. */
  readonly examples: ShopPorts | undefined;
  #organizations: Demo['organizations'] | undefined;
  #storeTimer: NodeJS.Timeout | undefined;
  #stopping = false;
  readonly #severable: boolean;

  private constructor(options: StackOptions, instances: Instance[], known: ReadonlySet<string>) {
    const { port, build, servicesFrom, examples, severable } = options;
    this.baseUrl = `http://localhost:${port}`;
    this.#severable = severable;
    this.#build = build;
    this.#servicesFrom = servicesFrom;
    this.#instances = instances;
    this.#known = known;
    this.#jobs = new Jobs(logOf('jobs'), known);
    this.examples = examples;
  }

  /** Ends what an earlier launcher left running, then makes everything ready to start. */
  static async prepare(options: StackOptions): Promise<Stack> {
    const { port, replicas, examples: wished } = options;
    await endOrphans(home);
    requireSecretsOf(join(postgresFolder(home), 'data'));
    const instances = await planInstances(replicas, port);
    const examples =
      wished &&
      (await settleShopPorts(
        wished,
        instances.flatMap(({ httpPort }) => httpPort ?? []),
        settings(),
      ));
    putDemoAside();
    const known = await knownSettings([options.build, options.servicesFrom]);
    for (const sentence of settingsWithoutEffect(known)) warn(`  ${sentence}`);
    return new Stack({ ...options, examples }, instances, known);
  }

  async start(): Promise<Addresses> {
    const database = await planPostgres(this.#secrets, settings().DATABASE_URL);
    await this.#serve('postgres', database);
    if (database.maintenanceUrl) await createDatabase(database.maintenanceUrl);
    const began = Date.now();
    await setUpDatabase(database.url, this.#secrets, this.#jobs, this.#build);
    say(`  Tables are up to date (${seconds(began)})`);

    const nats = await planNats(this.#secrets, settings().NATS_URL);
    const bus = await this.#serve('nats', nats);
    await this.#declareBus(nats.url);
    // A nats-server that was started again may have lost its JetStream files.
    if (bus) this.#watchStore(bus);
    if (bus) bus.onReady = () => void this.#declareBus(nats.url).catch((error: Error) => warn(error.message));

    const addresses = {
      baseUrl: this.baseUrl,
      natsUrl: nats.url,
      databaseUrl: database.url,
      checkpointDir: join(home, 'checkpoints'),
      shopOrigins: shopOrigins(this.examples),
    };
    const exceptions = [...addresses.shopOrigins, ...(settings().OUTBOUND_ALLOW?.split(',') ?? [])];
    if (exceptions.length > 0) say(`  OUTBOUND_ALLOW: services may also call ${exceptions.join(', ')}`);
    await this.#startServices(addresses);
    return addresses;
  }

  /** @returns the whole of demo.json, which from now on follows the pids of the services */
  async seed({ natsUrl }: Addresses): Promise<Demo> {
    try {
      this.#organizations = await seedDemo(this.#jobs, this.operatorEnv(natsUrl), this.#servicesFrom);
    } catch (error) {
      warn(`The stack runs, but without its demo. ${(error as Error).message}`);
      this.#organizations = knownOrganizations();
    }
    return this.#publish();
  }

  /** The example shop, which reads what was seeded. @returns demo.json with it; a stack without it is still a stack */
  async openShop(): Promise<Demo> {
    if (!this.examples || !this.#organizations?.length) return this.#publish();
    const began = Date.now();
    const { examples } = this;
    const plan = (more: NodeJS.ProcessEnv): Program => shopProgram(examples, settings(more), this.#known);
    const supervised = this.#add({ name: 'shop', replica: 1, readyUrl: shopReadyUrl(examples), plan }, plan({}));
    supervised.onChange = () => this.#publish();
    supervised.start();
    try {
      await this.#untilReady(supervised);
      say(`  shop is ready (${seconds(began)})`);
    } catch (error) {
      warn(`The stack runs, but without the example shop. ${(error as Error).message}`);
    }
    return this.#publish();
  }

  operatorEnv(natsUrl: string): NodeJS.ProcessEnv {
    return {
      NATS_URL: natsUrl,
      NATS_NKEY_SEED: this.#secrets.nkeySeeds.operator,
      BASE_URL: this.baseUrl,
      ...(this.examples && portVariables(this.examples)),
    };
  }

  /** Restarts a nats-server of ours that stores nothing although it could. */
  #watchStore(nats: Supervised): void {
    const watch = new StoreWatch();
    const producers = Object.values(streams).map(({ producer }) => producer as string);
    const look = async (): Promise<void> => {
      if (nats.state !== 'ready') return;
      const urls = this.members.flatMap(({ name, readyUrl }) =>
        producers.includes(name) && readyUrl !== null ? [readyUrl] : [],
      );
      const remarks = (await Promise.all(urls.map(readiness))).flatMap((answer) => answer.remarks);
      const { bavail, bsize } = await statfs(join(home, 'nats', 'jetstream'));
      const gaveUp = watch.gaveUp;
      const why = watch.decide({ nowMs: performance.now(), remarks, freeBytes: bavail * bsize });
      if (watch.gaveUp && !gaveUp)
        warn(`Restarting nats-server did not help; it stores nothing. Its log: ${shown(nats.program.logFile)}`);
      if (why === undefined || nats.state !== 'ready' || this.#stopping) return;
      warn(`${why}.`);
      await nats.stop();
      if (!this.#stopping) nats.start();
    };
    let looking = false;
    this.#storeTimer = setInterval(() => {
      if (looking) return;
      looking = true;
      void look()
        .catch(() => undefined)
        .finally(() => (looking = false));
    }, storeWatchMs);
  }

  /** Services first, since they need the bus and the database to end well. */
  async stop(): Promise<void> {
    this.#jobs.end();
    this.#stopping = true;
    clearInterval(this.#storeTimer);
    const servers = this.members.filter((m) => m.readyUrl === null).reverse();
    await Promise.all(this.members.filter((m) => m.readyUrl !== null).map((m) => m.supervised.stop()));
    for (const { supervised } of servers) await supervised.stop();
    this.#children.stopReaper();
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
    const ways = await Promise.all(this.#instances.map(() => this.#wayTo(addresses)));
    const started = this.#instances.map((instance, i) => {
      const { service: name, replica, readyUrl } = instance;
      const { links, ...reached } = ways[i]!;
      const own = { ...addresses, ...reached };
      const plan = (more: NodeJS.ProcessEnv, build = this.#servicesFrom): Program =>
        serviceProgram(
          instance,
          serviceEnv(
            instance,
            this.#instances,
            own,
            loadSecrets(secretsFile, databaseServices, natsUsers),
            settings(more),
            this.#known,
          ),
          build,
        );
      const supervised = this.#add({ name, replica, readyUrl, plan, ...(links && { links }) }, plan({}));
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

  /** Where one process reaches the servers. */
  async #wayTo({
    natsUrl,
    databaseUrl,
  }: Addresses): Promise<Pick<Addresses, 'natsUrl' | 'databaseUrl'> & { links?: SeverableLink[] }> {
    if (!this.#severable) return { natsUrl, databaseUrl };
    const [nats, database] = [new URL(natsUrl), new URL(databaseUrl)];
    const links = await Promise.all([
      SeverableLink.to(nats.hostname, Number(nats.port || 4222)),
      SeverableLink.to(database.hostname, Number(database.port || 5432)),
    ]);
    for (const [i, url] of [nats, database].entries()) [url.hostname, url.port] = ['127.0.0.1', String(links[i]!.port)];
    return { natsUrl: nats.href.replace(/\/$/, ''), databaseUrl: database.href, links };
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
      `${name} does not get ready. It last said: ${lastWord(logFile)} (its log: ${shown(logFile)})`,
    );
  }

  async #declareBus(natsUrl: string): Promise<void> {
    const env = { NATS_URL: natsUrl, NATS_NKEY_SEED: this.#secrets.nkeySeeds.deploy };
    await this.#jobs.run(
      'The start job of the bus',
      [join(this.#build, 'apps', 'cli', 'dist', 'main.js'), 'bus', 'declare'],
      env,
    );
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

/**
 * As root the data are outside of the clone, and outlive it: said at once, since no password that is made now opens
 * them.
 */
function requireSecretsOf(data: string): void {
  if (settings().DATABASE_URL || existsSync(secretsFile) || !existsSync(data)) return;
  throw new ReportedError(
    `The database of this stack is still there (${data}), but the secrets that open it are gone (${shown(secretsFile)}). Put them back, or begin anew: npm run reset`,
  );
}

import { randomBytes } from 'node:crypto';
import { jest } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { RevocationFeed } from '@holdfast/access';
import {
  eventSubject,
  revocationFeedSubject,
  type App,
  type BusUser,
  type DirectoryEvent,
  type IssuanceEvent,
  type ServiceName,
} from '@holdfast/contracts';
import { Database, migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams } from '@holdfast/messaging';
import { createLogger, keyedHash } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventually,
  freePort,
  startTestBus,
  testConfig,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { AuthModule } from './app.module.js';
import { configSchema, type Config } from './config.js';
import { createHttpApp } from './http/http-app.js';
import { migrations } from './migrations/index.js';
import { AuditModule, DirectoryModule, IssuanceModule, stubs } from './service-stubs.fixture.js';

const key = (byte: number) => Buffer.alloc(32, byte);
const pepper = key(7);
const heartbeatMs = 100;
const silent = createLogger('test', 'fatal');

interface ReplicaOptions {
  publicUrl?: string;
  config?: Partial<Config>;
  machineTimeMs?: () => number;
}

export interface Replica {
  base: string;
  opsPort: number;
  stop: () => Promise<void>;
}

/**
 * The clock of this machine, whatever a test makes of Date: with a changed Date.now the service would detect a wrong
 * clock and respond 503.
 */
const monotonicTimeMs = () => performance.timeOrigin + performance.now();

/** Auth with a real nats-server and PostgreSQL, and with stubs of directory, issuance and audit. */
export class AuthStack {
  /** Log lines of auth. */
  readonly lines: string[] = [];
  base!: string;
  auth!: RunningService;
  private readonly connections: NatsConnection[] = [];
  private readonly running = new Map<ServiceName, RunningService>();
  private directoryConnection!: NatsConnection;
  private issuanceConnection!: NatsConnection;
  private heartbeats: NodeJS.Timeout | undefined;

  private constructor(
    readonly nats: TestBus,
    readonly database: TestDatabase,
    private readonly config: Partial<Config>,
  ) {}

  static async start(config: Partial<Config> = {}): Promise<AuthStack> {
    const [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('auth', (url) => migrate('auth', url, migrations), { isCopied: true }),
    ]);
    const stack = new AuthStack(nats, database, config);
    const port = await freePort();
    stack.base = `http://127.0.0.1:${port}`;
    await declareStreams(await stack.connect('deploy'));
    stack.directoryConnection = await stack.connect('directory');
    stack.issuanceConnection = await stack.connect('issuance');
    stack.startHeartbeats();
    await Promise.all((['directory', 'audit', 'issuance'] as const).map((name) => stack.startStub(name)));
    stack.auth = await stack.startAuth(port, {});
    return stack;
  }

  /** Another replica of auth, with an address of its own. With `publicUrl` it has this public address. */
  async startReplica(options: ReplicaOptions = {}): Promise<Replica> {
    const port = await freePort();
    const service = await this.startAuth(port, options);
    return { base: `http://127.0.0.1:${port}`, opsPort: service.opsPort, stop: () => service.stop() };
  }

  async connect(user: BusUser): Promise<NatsConnection> {
    const { url } = this.nats;
    const connection = await connectBus({ url, nkeySeed: this.nats.seed(user), user }, silent);
    this.connections.push(connection);
    return connection;
  }

  get feed(): RevocationFeed {
    return this.auth.app.get(RevocationFeed);
  }

  /**
   * Changes the state of directory: first the state, then number and heartbeat of the revocation feed. Resolves when
   * auth has loaded the change.
   */
  async changeDirectory(edit: () => void): Promise<void> {
    edit();
    stubs.seq += 1;
    this.sendHeartbeat();
    await eventually(() => this.feed.entry('organization', 'acme')?.seq === stubs.seq);
  }

  startHeartbeats(): void {
    this.heartbeats = setInterval(() => this.sendHeartbeat(), heartbeatMs);
  }

  stopHeartbeats(): void {
    clearInterval(this.heartbeats);
  }

  /** Runs `work` while the stub is stopped. */
  async without(stub: 'directory' | 'issuance', work: () => Promise<void>): Promise<void> {
    await this.running.get(stub)!.stop();
    try {
      await work();
    } finally {
      await this.startStub(stub);
    }
  }

  /**
   * The statements and the requests over the bus that `work` leads to, by name. It runs ten times, so that what other
   * jobs of auth do meanwhile does not count.
   */
  async costOf(work: () => Promise<unknown>): Promise<{ statements: string[]; requests: string[] }> {
    const times = 10;
    const statements = jest.spyOn(this.auth.app.get(Database), 'rows');
    const requests = jest.spyOn(this.auth.app.get(Bus), 'request');
    try {
      for (let i = 0; i < times; i += 1) await work();
      const repeated = (names: string[]) =>
        [...Map.groupBy(names, (name) => name)].flatMap(([name, calls]) =>
          Array.from({ length: Math.floor(calls.length / times) }, () => name),
        );
      return {
        statements: repeated(statements.mock.calls.map(([{ name }]) => name)),
        requests: repeated(requests.mock.calls.map(([{ subject }]) => subject)),
      };
    } finally {
      statements.mockRestore();
      requests.mockRestore();
    }
  }

  /** Makes all stored state of this kind expire. */
  async expire(model: string): Promise<void> {
    await this.database.query(`UPDATE auth.oidc_state SET expires_at = now() - interval '1 second' WHERE model = $1`, [
      model,
    ]);
  }

  /** Publishes an event of issuance. */
  async publish(event: IssuanceEvent): Promise<void> {
    await jetstream(this.issuanceConnection).publish(eventSubject('issuance', event.type), JSON.stringify(event));
  }

  /** Publishes an event of directory. */
  async publishFromDirectory(event: DirectoryEvent): Promise<void> {
    await jetstream(this.directoryConnection).publish(eventSubject('directory', event.type), JSON.stringify(event));
  }

  async stop(): Promise<void> {
    this.stopHeartbeats();
    await this.auth.stop();
    await Promise.all([...this.running.values()].map((service) => service.stop()));
    await Promise.all(this.connections.map((connection) => connection.close()));
    await Promise.all([this.nats.stop(), this.database.drop()]);
  }

  private sendHeartbeat(): void {
    this.directoryConnection.publish(revocationFeedSubject, JSON.stringify({ seq: stubs.seq }));
  }

  private async startStub(name: 'directory' | 'audit' | 'issuance'): Promise<void> {
    const module = { directory: DirectoryModule, audit: AuditModule, issuance: IssuanceModule }[name];
    const config = { ...testConfig(this.nats, name), BASE_URL: this.base };
    this.running.set(name, await startService({ service: name, config, module, logger: silent }));
  }

  private async startAuth(port: number, { publicUrl, config: own, machineTimeMs }: ReplicaOptions) {
    const { HOLDFAST_EXIT_WITH_PARENT: _, ...base } = testConfig(this.nats, 'auth');
    const config: Config = {
      ...configSchema.parse({
        ...base,
        BASE_URL: publicUrl ?? this.base,
        DATABASE_URL: this.database.url(),
        DATABASE_POOL: 8,
        HTTP_PORT: port,
        SECRET_PEPPER: pepper.toString('base64url'),
        KEY_ENCRYPTION_KEY: key(9).toString('base64url'),
        COOKIE_KEY: key(11).toString('base64url'),
        CLIENT_RATE_PER_MINUTE: 6000,
        WRONG_SECRETS_PER_MINUTE: 400,
        // On a slow machine, concurrent requests of a test wait longer than in production.
        HTTP_ADMISSION_WAIT_MS: 5000,
      }),
      ...this.config,
      ...own,
    };
    const service = await startService({
      service: 'auth',
      config,
      module: AuthModule,
      database: { url: config.DATABASE_URL, pool: config.DATABASE_POOL },
      createApp: createHttpApp(config),
      logger: createLogger('auth', 'debug', '1', { write: (line) => void this.lines.push(line) }),
      machineTimeMs: machineTimeMs ?? monotonicTimeMs,
    });
    await eventually(async () => (await fetch(`http://127.0.0.1:${service.opsPort}/readyz`)).ok);
    return service;
  }
}

export interface TestApp {
  app: App;
  clientId: string;
  secret: string;
  /** A second live secret. */
  secondSecret: string;
  redirectUri: string;
}

/** An app of directory, without a message of the revocation feed: auth queries an app that it has not cached. */
export function addApp(changes: Partial<App> = {}, orgSuspended = false): TestApp {
  const clientId = `app_${randomBytes(16).toString('base64url')}`;
  const [secret, secondSecret] = [randomBytes(32), randomBytes(32)].map((bytes) => bytes.toString('base64url'));
  const app: App = {
    clientId,
    org: 'acme',
    name: 'Shop',
    kind: 'web',
    audience: 'customers',
    redirectUris: ['https://shop.example/callback'],
    postLogoutRedirectUris: ['https://shop.example/bye'],
    origins: [],
    refreshTokens: true,
    pkce: 'required',
    scopes: [],
    disabled: false,
    apiVersion: '2026-11-01',
    version: 1,
    createdAt: '2026-11-21T09:30:00.000Z',
    ...changes,
  };
  const hashed = (id: string, text: string) => ({ id, hash: keyedHash(pepper, text).toString('base64url') });
  const secrets =
    app.kind === 'spa' || app.kind === 'native'
      ? []
      : [hashed('sec_first', secret!), hashed('sec_second', secondSecret!)];
  stubs.clients.set(clientId, { app, orgSuspended, secrets });
  return { app, clientId, secret: secret!, secondSecret: secondSecret!, redirectUri: app.redirectUris[0]! };
}

/** HTTP Basic authentication of a client. */
export function basicAuthorization({ clientId, secret }: { clientId: string; secret: string }): string {
  return `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}`;
}

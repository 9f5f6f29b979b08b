import { generateKeyPairSync, randomUUID } from 'node:crypto';
import { Controller, Inject, Module } from '@nestjs/common';
import { SignJWT } from 'jose';
import {
  allOrganizations,
  appendRecords,
  createAuditDestination,
  followAuditEvents,
  getApp,
  getAuditDestination,
  listAuditLogs,
  logGrowthSubject,
  makerRights,
  recordOperatorRead,
  signSecurityEvents,
  type AuditDestination,
  type AuditEvent,
  type AuditRecord,
  type BusUser,
  type CreatedAuditDestination,
  type NewDestination,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, Handles } from '@holdfast/messaging';
import { createLogger, unavailable } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventually,
  FakeClock,
  patient,
  startTestBus,
  testConfig,
  testContext,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { SignalsModule } from '../app.module.js';
import { migrations } from '../migrations/index.js';
import { destinationSettings } from './settings.fixture.js';

const quiet = createLogger('test', 'fatal');
const LOGS = Symbol('logs');

/** Audit's logs by organization, and the records that it was sent. */
class AuditLogs {
  readonly logs = new Map<string, AuditEvent[]>();
  readonly records: AuditRecord[] = [];

  of(org: string): AuditEvent[] {
    let log = this.logs.get(org);
    if (!log) this.logs.set(org, (log = []));
    return log;
  }
}

/** Audit as its contracts describe it, with logs in memory. */
@Controller()
class Audit {
  constructor(@Inject(LOGS) private readonly logs: AuditLogs) {}

  @Handles(followAuditEvents)
  async follow(
    { after = 0, limit, named }: RequestOf<typeof followAuditEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof followAuditEvents>> {
    if (named) throw new Error('a destination gets pseudonyms only');
    const log = this.logs.of(org);
    const items = log.filter(({ seq }) => seq > after).slice(0, limit);
    const end = log.at(-1)?.seq ?? 0;
    const hasMore = items.length > 0 && items.at(-1)!.seq < end;
    return Promise.resolve({ items, after: hasMore ? items.at(-1)!.seq : Math.max(after, end), hasMore });
  }

  @Handles(listAuditLogs)
  async list({ orgs }: RequestOf<typeof listAuditLogs>): Promise<ReplyOf<typeof listAuditLogs>> {
    const found = [...this.logs.logs].filter(([org, log]) => log.length > 0 && (orgs?.includes(org) ?? true));
    return Promise.resolve({ logs: found.map(([org, log]) => [org, log.at(-1)!.seq]) });
  }

  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    this.logs.records.push(...records.map(({ record }) => record));
    return Promise.resolve({});
  }

  @Handles(recordOperatorRead)
  async read(): Promise<Record<string, never>> {
    return Promise.resolve({});
  }
}

/** What makers may do now; they may do all of this when absent. `down`: directory does not reply. */
export const rights = new Map<string, string[] | 'down'>();

@Controller()
class Directory {
  @Handles(makerRights)
  async rights({ maker }: RequestOf<typeof makerRights>): Promise<ReplyOf<typeof makerRights>> {
    const operations = rights.get(maker.id) ?? ['audit:export', 'webhooks:manage', 'ssf:manage', 'ssf.manage'];
    if (operations === 'down') throw unavailable('directory is down', 1);
    return Promise.resolve({ operations });
  }

  /** Every app is a receiver, of people when its client ID says so. */
  @Handles(getApp)
  async app({ clientId }: RequestOf<typeof getApp>, { org }: RequestContext): Promise<ReplyOf<typeof getApp>> {
    const lists = { redirectUris: [], postLogoutRedirectUris: [], origins: [], scopes: [] };
    return Promise.resolve({
      ...{ clientId, org, name: 'SIEM', kind: 'receiver', ...lists, refreshTokens: true, pkce: 'required' },
      ...{ requireDpop: false, disabled: false, apiVersion: '2026-11-01', version: 1 },
      audience: clientId.includes('people') ? 'people' : 'customers',
      createdAt: '2026-11-21T09:30:00.000Z',
    });
  }
}

/** Signs as auth does, with a key of its own. */
@Controller()
class Auth {
  static readonly keys = generateKeyPairSync('rsa', { modulusLength: 2048 });

  @Handles(signSecurityEvents)
  async sign(
    { events }: RequestOf<typeof signSecurityEvents>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof signSecurityEvents>> {
    const tokens = events.map((claims) =>
      new SignJWT({ ...claims, iss: `https://id.test/o/${org}`, iat: 1 })
        .setProtectedHeader({ alg: 'RS256', typ: 'secevent+jwt', kid: 'test' })
        .sign(Auth.keys.privateKey),
    );
    return { tokens: await Promise.all(tokens) };
  }
}
/** Verifies what the stack has sent. */
export const signingKey = Auth.keys.publicKey;

/** Replicas of signals with real PostgreSQL and NATS, beside an audit service with logs in memory. */
export class DestinationsStack {
  readonly clock = new FakeClock();
  readonly audit = new AuditLogs();
  readonly replicas: RunningService[] = [];
  bus!: Bus;
  tables!: TestDatabase;
  private nats!: TestBus;
  private auditService!: RunningService;
  private directoryService!: RunningService;
  private authService!: RunningService;

  static async start(allow: string[], allowedToOperator: string[] = []): Promise<DestinationsStack> {
    const stack = new DestinationsStack(allow, allowedToOperator);
    stack.nats = await startTestBus();
    const deploy = await stack.connectAs('deploy');
    await declareStreams(deploy);
    await deploy.close();
    stack.tables = await createTestDatabase('signals', (url) => migrate('signals', url, migrations), {
      isCopied: true,
    });
    @Module({ controllers: [Audit], providers: [{ provide: LOGS, useValue: stack.audit }] })
    class AuditModule {}
    const config = testConfig(stack.nats, 'audit');
    stack.auditService = await startService({ service: 'audit', config, module: AuditModule, logger: quiet });
    @Module({ controllers: [Directory] })
    class DirectoryModule {}
    const ofDirectory = testConfig(stack.nats, 'directory');
    const directory = { service: 'directory', config: ofDirectory, module: DirectoryModule, logger: quiet } as const;
    stack.directoryService = await startService(directory);
    @Module({ controllers: [Auth] })
    class AuthModule {}
    const ofAuth = testConfig(stack.nats, 'auth');
    const auth = { service: 'auth', config: ofAuth, module: AuthModule, logger: quiet } as const;
    stack.authService = await startService(auth);
    await stack.addReplica();
    stack.bus = patient(new Bus(await stack.connectAs('gateway')));
    return stack;
  }

  private constructor(
    private readonly allow: string[],
    private readonly allowedToOperator: string[],
  ) {}

  connectAs(user: BusUser) {
    return connectBus({ url: this.nats.url, nkeySeed: this.nats.seed(user), user }, quiet);
  }

  async addReplica(): Promise<RunningService> {
    const config = {
      ...testConfig(this.nats, 'signals'),
      ...destinationSettings,
      OUTBOUND_ALLOW: this.allow,
      AUDIT_DESTINATIONS_ALLOW: this.allowedToOperator,
      EVENT_RETENTION_DAYS: 35,
      DATABASE_URL: this.tables.url(),
      DATABASE_POOL: 4,
    };
    const replica = await startService({
      service: 'signals',
      config,
      module: SignalsModule,
      clock: this.clock,
      logger: quiet,
      database: { url: config.DATABASE_URL, pool: 4 },
    });
    this.replicas.push(replica);
    return replica;
  }

  async stop(): Promise<void> {
    await Promise.all(this.replicas.map((replica) => replica.stop()));
    await this.auditService.stop();
    await this.directoryService.stop();
    await this.authService.stop();
    await this.bus.connection.close();
    await this.tables.drop();
    await this.nats.stop();
  }

  /** Appends entries to a log, and announces them as audit does. */
  append(org: string, count: number, changes: Partial<AuditEvent> = {}): AuditEvent[] {
    const log = this.audit.of(org);
    const added = Array.from({ length: count }, (_, i) => this.event((log.at(-1)?.seq ?? 0) + 1 + i, changes));
    log.push(...added);
    const hint = JSON.stringify([[org, log.at(-1)!.seq]]);
    this.auditService.connection.publish(logGrowthSubject, hint);
    return added;
  }

  private event(seq: number, changes: Partial<AuditEvent>): AuditEvent {
    const { method, route, id, traceparent } = testContext().request;
    return {
      id: randomUUID(),
      seq,
      occurredAt: this.clock.now().toISOString(),
      action: 'credential.suspend',
      actor: { type: 'app', id: 'app-1', name: 'Shop' },
      targets: [{ type: 'customer', id: 'p5zJ0n1yQ3q2w8e4r6t7yA' }],
      outcome: { result: 'success', status: 200 },
      request: { id, traceparent, method, route },
      ...changes,
    };
  }

  async create(
    org: string,
    destination: Omit<NewDestination, 'format'> & { format?: 'native' | 'ocsf' },
    context: RequestContext = contextOf(org),
  ): Promise<CreatedAuditDestination> {
    return (await this.bus.request(createAuditDestination, { destination }, context)).destination;
  }

  get(org: string, id: string): Promise<AuditDestination> {
    return this.bus.request(getAuditDestination, { id }, contextOf(org));
  }

  /** Waits until the receiver has confirmed the log up to its end. */
  async caughtUp(org: string, id: string): Promise<AuditDestination> {
    return eventually(async () => {
      const found = await this.get(org, id);
      const end = this.audit.of(org).at(-1)?.seq;
      return (org === allOrganizations || found.after === end) && found.lag.entries === 0 && found;
    });
  }

  /** Waits until an attempt has failed, and makes the next one due. */
  async retryAfterFailure(org: string, id: string, failures = 1): Promise<AuditDestination> {
    const failed = await eventually(async () => {
      const found = await this.get(org, id);
      return (found.lastError?.attempts ?? 0) >= failures && found;
    });
    this.clock.advance(3_600_000);
    return failed;
  }
}

/** The operator has no organization when it means all of them. */
export function contextOf(org: string): RequestContext {
  return org === allOrganizations
    ? testContext({ org: '', actor: { type: 'operator', id: 'operator' } })
    : testContext({ org });
}

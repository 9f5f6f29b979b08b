import { randomBytes, randomUUID } from 'node:crypto';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import {
  accessChanges,
  appendRecords,
  beginSignIn,
  completeSignIn,
  countDeniedRequests,
  customerStatus,
  getClient,
  knownOrganizations,
  organizationOrigins,
  organizationProfile,
  recordOperatorRead,
  revocationFeedSubject,
  webOrigins,
  type App,
  type AuditRecord,
  type BusUser,
  type CredentialClaim,
  type RelyingPartyIds,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
  type ServiceName,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { connectBus, declareStreams, Handles } from '@holdfast/messaging';
import { AppError, createLogger, httpLogConfigSchema, keyedHash, type BaseConfig } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  createTestDatabase,
  eventually,
  freePort,
  startTestBus,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { AuthModule } from './app.module.js';
import type { Config } from './config.js';
import { createHttpApp } from './http/http-app.js';
import { migrations } from './migrations/index.js';
import { stateLimitsSchema } from './state-limits.js';

const pepper = Buffer.alloc(32, 7);

/** What the neighbours of auth know; the tests write it. */
export const stubs = {
  seq: 1,
  organizations: new Map([
    ['acme', 'Acme & Sons'],
    ['globex', 'Globex'],
  ]),
  suspended: new Set<string>(),
  relyingParties: new Map<string, RelyingPartyIds>(),
  clients: new Map<string, ReplyOf<typeof getClient>>(),
  customers: new Map<
    string,
    { org: string; state: 'live' | 'not_live' | 'unknown'; types: string[]; version: number; since: number }
  >(),
  records: [] as { org: string; record: AuditRecord }[],
  auditUnavailable: false,
  begun: new Set<string>(),
  relyingPartyOfLast: undefined as RelyingPartyIds | undefined,
};

export function credentialOf(subject: string, type = 'customer'): CredentialClaim {
  return { id: `${type}-${subject.slice(0, 8)}`, type, document_number: 'D-1', issued_at: '2026-11-21T09:30:00.000Z' };
}

@Controller()
class Directory {
  @Handles(getClient)
  async client({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    const found = stubs.clients.get(clientId);
    if (!found) throw new AppError('unknown_app');
    return structuredClone(found);
  }

  @Handles(organizationProfile)
  async profile({ shortId }: RequestOf<typeof organizationProfile>): Promise<ReplyOf<typeof organizationProfile>> {
    const name = stubs.organizations.get(shortId);
    if (!name) throw new AppError('unknown_organization');
    const relyingParty = stubs.relyingParties.get(shortId);
    return { shortId, name, ...(relyingParty && { relyingParty }) };
  }

  @Handles(organizationOrigins)
  async origins({ shortId }: RequestOf<typeof organizationOrigins>): Promise<ReplyOf<typeof organizationOrigins>> {
    const apps = [...stubs.clients.values()]
      .map(({ app }) => app)
      .filter(({ org, kind }) => org === shortId && kind === 'spa');
    return { origins: webOrigins(apps.flatMap(({ redirectUris }) => redirectUris)) };
  }

  @Handles(knownOrganizations)
  async known({ shortIds }: RequestOf<typeof knownOrganizations>): Promise<ReplyOf<typeof knownOrganizations>> {
    return { known: shortIds.filter((id) => stubs.organizations.has(id) || stubs.suspended.has(id)) };
  }

  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    const apps = [...stubs.clients.keys()].map((id) => ({
      seq: stubs.seq,
      kind: 'app' as const,
      id,
      disabled: false,
      minVersion: 0,
      revokedSecrets: [],
    }));
    const orgs = ['acme', 'globex', 'hooli'].map((id) => ({
      seq: stubs.seq,
      kind: 'organization' as const,
      id,
      disabled: !stubs.organizations.has(id),
      minVersion: 0,
      revokedSecrets: [],
    }));
    return { seq: stubs.seq, entries: [...apps, ...orgs] };
  }
}

@Controller()
class Issuance {
  @Handles(beginSignIn)
  async begin({ interaction, relyingParty }: RequestOf<typeof beginSignIn>): Promise<ReplyOf<typeof beginSignIn>> {
    stubs.begun.add(interaction);
    const { rpId, earlier } = relyingParty ?? {};
    return {
      options: { challenge: 'abc', ...(rpId !== undefined && { rpId }) },
      ...(earlier && { earlierRpId: earlier.rpId ?? 'own.example' }),
    };
  }

  @Handles(completeSignIn)
  async complete(
    { interaction, credentialType = 'customer', response, relyingParty }: RequestOf<typeof completeSignIn>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof completeSignIn>> {
    stubs.relyingPartyOfLast = relyingParty;
    if (!stubs.begun.delete(interaction)) throw new AppError('ceremony_expired');
    const subject = String(response.as);
    const customer = stubs.customers.get(subject);
    if (!customer || customer.state === 'unknown') return { outcome: 'refused', reason: 'unknown_passkey' };
    if (customer.org !== org) return { outcome: 'refused', reason: 'other_organization' };
    if (customer.state !== 'live' || !customer.types.includes(credentialType))
      return { outcome: 'refused', reason: 'no_live_credential', subject };
    return {
      outcome: 'signed_in',
      subject,
      credential: credentialOf(subject, credentialType),
      version: customer.version,
      deviceBound: true,
    };
  }

  @Handles(customerStatus)
  async status(
    { subject, credentialType = 'customer' }: RequestOf<typeof customerStatus>,
    { org }: { org: string },
  ): Promise<ReplyOf<typeof customerStatus>> {
    const customer = stubs.customers.get(subject);
    if (!customer || customer.state === 'unknown' || customer.org !== org) return { state: 'unknown' };
    if (customer.state === 'not_live' || !customer.types.includes(credentialType)) return { state: 'not_live' };
    return { state: 'live', credential: credentialOf(subject, credentialType), since: customer.since };
  }
}

@Controller()
class Audit {
  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    // The same id again is the same record.
    stubs.records.push(...records.filter(({ record }) => !stubs.records.some((r) => r.record.id === record.id)));
    return {};
  }

  @Handles(recordOperatorRead)
  async read(
    { action, targets }: RequestOf<typeof recordOperatorRead>,
    { org, auditId: id, actor, request }: RequestContext,
  ): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    stubs.records.push({
      org,
      record: {
        id,
        occurredAt: new Date().toISOString(),
        action,
        actor,
        targets,
        outcome: { result: 'success' },
        request,
      },
    });
    return {};
  }

  /** As audit does when the minute is over: one record of each, with the last count. */
  @Handles(countDeniedRequests)
  async count({ deniedRequests }: RequestOf<typeof countDeniedRequests>): Promise<Record<string, never>> {
    if (stubs.auditUnavailable) throw new AppError('unavailable');
    const counted = new Set(deniedRequests.map((r) => r.record.id));
    stubs.records = [...stubs.records.filter((r) => !counted.has(r.record.id)), ...deniedRequests];
    return {};
  }
}

@Module({ controllers: [Directory] })
class DirectoryModule {}
@Module({ controllers: [Issuance] })
class IssuanceModule {}
@Module({ controllers: [Audit] })
class AuditModule {}

export interface AuthStack {
  base: string;
  database: TestDatabase;
  auth: RunningService;
  /** Lines that auth logged. */
  lines: string[];
  /**
   * A second replica of auth, at an address of its own; `publicUrl` when it is to think that it is reached elsewhere,
   * `own` what it is told besides.
   */
  another(
    publicUrl?: string,
    own?: Partial<Config>,
    machineTimeMs?: () => number,
  ): Promise<{ base: string; opsPort: number; stop: () => Promise<void> }>;
  /** Changes the stubs as directory does: state first, then seq and heartbeat. */
  change(edit: () => void): Promise<void>;
  /** Takes issuance away while `work` runs. */
  withoutIssuance(work: () => Promise<void>): Promise<void>;
  /** Lets time run out for everything of this kind that is stored. */
  expire(model: string): Promise<void>;
  publish(event: object): Promise<void>;
  connect(user: BusUser): Promise<NatsConnection>;
  stop(): Promise<void>;
}

const silent = createLogger('test', 'fatal');

/**
 * Of this machine's clock, whatever a test makes of Date: the service would take a moved Date.now for a wrong clock,
 * and answer 503.
 */
const monotonicTimeMs = () => performance.timeOrigin + performance.now();

/** Auth with real servers, and neighbours that do as the test says. */
export async function startAuthStack({
  allow = [],
  ...changes
}: { allow?: string[]; BACKCHANNEL_LOGOUT_SECONDS?: number; REFRESH_GRACE_SECONDS?: number } = {}): Promise<AuthStack> {
  const nats: TestBus = await startTestBus();
  const database = await createTestDatabase('auth', (url) => migrate('auth', url, migrations));
  const port = await freePort();
  const base = `http://127.0.0.1:${port}`;
  const lines: string[] = [];
  const connections: NatsConnection[] = [];
  const configOf = (user: BusUser): BaseConfig => ({
    NATS_URL: nats.url,
    NATS_NKEY_SEED: nats.seed(user),
    BASE_URL: base,
    OPS_PORT: 0,
    OPS_HOST: '127.0.0.1',
    LOG_LEVEL: 'debug',
    HOLDFAST_REPLICA: '1',
    HOLDFAST_EXIT_WITH_PARENT: false,
  });
  const connect = async (user: BusUser) => {
    const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, silent);
    connections.push(connection);
    return connection;
  };
  const start = (service: ServiceName, module: typeof AuditModule) =>
    startService({ service, config: configOf(service), module, logger: silent });
  const startAuth = async (
    httpPort: number,
    publicUrl = base,
    own: Partial<Config> = {},
    machineTimeMs = monotonicTimeMs,
  ) => {
    const config: Config = {
      ...configOf('auth'),
      BASE_URL: publicUrl,
      DATABASE_URL: database.url(),
      DATABASE_POOL: 8,
      HTTP_PORT: httpPort,
      HTTP_HOST: '127.0.0.1',
      SECRET_PEPPER: pepper,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 9),
      COOKIE_KEY: Buffer.alloc(32, 11),
      REFRESH_GRACE_SECONDS: 10,
      STATE_LIMITS: stateLimitsSchema.parse(''),
      HTTP_ADMISSION_RUNNING: 48,
      HTTP_ADMISSION_QUEUED: 256,
      HTTP_ADMISSION_WAIT_MS: 250,
      OUTBOUND_ALLOW: allow,
      OUTBOUND_PORTS: [443],
      ...httpLogConfigSchema.parse({}),
      CLIENT_RATE_PER_MINUTE: 6000,
      WRONG_SECRETS_PER_MINUTE: 400,
      BACKCHANNEL_LOGOUT_SECONDS: 86_400,
      ...changes,
      ...own,
    };
    const logger = createLogger('auth', 'debug', '1', { write: (line) => void lines.push(line) });
    const service = await startService({
      service: 'auth',
      config,
      module: AuthModule,
      database: { url: config.DATABASE_URL, pool: 8 },
      createApp: createHttpApp(config),
      logger,
      machineTimeMs,
    });
    await eventually(async () => (await fetch(`http://127.0.0.1:${service.opsPort}/readyz`)).ok);
    return service;
  };
  await declareStreams(await connect('deploy'));
  const heart = await connect('directory');
  const beat = () => heart.publish(revocationFeedSubject, JSON.stringify({ seq: stubs.seq }));
  const beating = setInterval(beat, 100);
  const neighbours = await Promise.all([start('directory', DirectoryModule), start('audit', AuditModule)]);
  let issuance = await start('issuance', IssuanceModule);
  const auth = await startAuth(port);
  const events = await connect('issuance');

  return {
    base,
    database,
    auth,
    lines,
    connect,
    another: async (publicUrl, own, machineTimeMs) => {
      const other = await freePort();
      const service = await startAuth(other, publicUrl, own, machineTimeMs);
      return { base: `http://127.0.0.1:${other}`, opsPort: service.opsPort, stop: () => service.stop() };
    },
    change: async (edit) => {
      edit();
      stubs.seq += 1;
      beat();
      await new Promise((resolve) => setTimeout(resolve, 80));
    },
    withoutIssuance: async (work) => {
      await issuance.stop();
      try {
        await work();
      } finally {
        issuance = await start('issuance', IssuanceModule);
      }
    },
    expire: async (model) =>
      void (await database.query(
        `UPDATE auth.oidc_state SET expires_at = now() - interval '1 second' WHERE model = $1`,
        [model],
      )),
    publish: async (event) => void (await jetstream(events).publish('evt.issuance.test', JSON.stringify(event))),
    stop: async () => {
      clearInterval(beating);
      await auth.stop();
      await Promise.all([...neighbours.map((n) => n.stop()), issuance.stop()]);
      for (const connection of connections) await connection.close();
      await Promise.all([nats.stop(), database.drop()]);
    },
  };
}

export interface TestApp {
  app: App;
  clientId: string;
  secret: string;
  redirectUri: string;
}

/** An app that the stack knows at once. */
export async function newApp(stack: AuthStack, changes: Partial<App> = {}): Promise<TestApp> {
  const clientId = `app_${randomBytes(16).toString('base64url')}`;
  const secret = randomBytes(32).toString('base64url');
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
  const hash = keyedHash(pepper, secret).toString('base64url');
  const secrets = app.kind === 'web' ? [{ id: 'sec_1', hash }] : [];
  await stack.change(() => void stubs.clients.set(clientId, { app, orgSuspended: false, secrets }));
  return { app, clientId, secret, redirectUri: app.redirectUris[0]! };
}

export function newCustomer(org = 'acme', types = ['customer']): string {
  const subject = randomUUID();
  stubs.customers.set(subject, { org, state: 'live', types, version: 2, since: 0 });
  return subject;
}

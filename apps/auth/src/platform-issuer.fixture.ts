import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import {
  accessChanges,
  appendRecords,
  countDeniedRequests,
  getClient,
  revocationFeedSubject,
  type App,
  type AuditRecord,
  type BusUser,
  type ReplyOf,
  type RequestOf,
  type ServiceName,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { connectBus, Handles } from '@holdfast/messaging';
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
export const base = 'http://localhost:8080';

/** A directory that the test writes. */
export const stubs = { seq: 1, clients: new Map<string, ReplyOf<typeof getClient>>(), asked: 0 };

@Controller()
class Directory {
  @Handles(getClient)
  async client({ clientId }: RequestOf<typeof getClient>): Promise<ReplyOf<typeof getClient>> {
    stubs.asked += 1;
    const found = stubs.clients.get(clientId);
    if (!found) throw new AppError('unknown_app');
    return structuredClone(found);
  }

  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    const entries = [...stubs.clients.keys()].map((id) => ({
      seq: stubs.seq,
      kind: 'app' as const,
      id,
      disabled: false,
      minVersion: 0,
      revokedSecrets: [],
    }));
    return { seq: stubs.seq, entries };
  }
}
@Module({ controllers: [Directory] })
class DirectoryModule {}

export const log = { records: [] as { org: string; record: AuditRecord }[], away: false };

@Controller()
class Audit {
  @Handles(appendRecords)
  async append({ records }: RequestOf<typeof appendRecords>): Promise<Record<string, never>> {
    if (log.away) throw new AppError('unavailable');
    log.records.push(...records);
    return {};
  }

  /** As audit does when the minute is over: one record of each, with the last count. */
  @Handles(countDeniedRequests)
  async count({ deniedRequests }: RequestOf<typeof countDeniedRequests>): Promise<Record<string, never>> {
    if (log.away) throw new AppError('unavailable');
    const counted = new Set(deniedRequests.map((r) => r.record.id));
    log.records = [...log.records.filter((r) => !counted.has(r.record.id)), ...deniedRequests];
    return {};
  }
}
@Module({ controllers: [Audit] })
class AuditModule {}

let nats: TestBus;
export let database: TestDatabase;
export let auth: RunningService;
let directory: RunningService | undefined;
let audit: RunningService;
let heart: NatsConnection;
export let gateway: NatsConnection;
export let port: number;
let beating: NodeJS.Timeout;
export const lines: string[] = [];

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
const silent = createLogger('test', 'fatal');
const start = (service: ServiceName, module: typeof AuditModule) =>
  startService({ service, config: configOf(service), module, logger: silent });
const beat = () => heart.publish(revocationFeedSubject, JSON.stringify({ seq: stubs.seq }));
const connect = (user: BusUser) => connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, silent);

async function startAuth(httpPort: number): Promise<RunningService> {
  const config: Config = {
    ...configOf('auth'),
    DATABASE_URL: database.url(),
    DATABASE_POOL: 4,
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
    OUTBOUND_ALLOW: [],
    OUTBOUND_PORTS: [443],
    ...httpLogConfigSchema.parse({}),
    CLIENT_RATE_PER_MINUTE: 6000,
    WRONG_SECRETS_PER_MINUTE: 400,
    BACKCHANNEL_LOGOUT_SECONDS: 86_400,
  };
  const logger = createLogger('auth', 'debug', '1', { write: (line) => void lines.push(line) });
  return startService({
    service: 'auth',
    config,
    module: AuthModule,
    database: { url: config.DATABASE_URL, pool: 4 },
    createApp: createHttpApp(config),
    logger,
  });
}

/** Before all tests of a file: auth with real servers, and a directory and an audit log that the file writes. */
export function withPlatform(): void {
  beforeAll(async () => {
    [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('auth', (url) => migrate('auth', url, migrations)),
    ]);
    [directory, audit, heart, gateway] = await Promise.all([
      start('directory', DirectoryModule),
      start('audit', AuditModule),
      connect('directory'),
      connect('gateway'),
    ]);
    beating = setInterval(beat, 100);
    port = await freePort();
    auth = await startAuth(port);
    await eventually(async () => (await fetch(`http://127.0.0.1:${auth.opsPort}/readyz`)).ok);
  });

  afterAll(async () => {
    clearInterval(beating);
    await auth.stop();
    await Promise.all([directory?.stop(), audit.stop(), heart.close(), gateway.close()]);
    await Promise.all([nats.stop(), database.drop()]);
  });

  beforeEach(() => {
    log.records = [];
    log.away = false;
  });
}

export function newClient(changes: Partial<App> = {}, orgSuspended = false) {
  const clientId = `app_${randomBytes(16).toString('base64url')}`;
  const secrets = ['first', 'second'].map((name) => ({
    id: `sec_${name}`,
    secret: randomBytes(32).toString('base64url'),
  }));
  const app: App = {
    clientId,
    org: 'acme',
    name: 'Shop',
    kind: 'web',
    audience: 'customers',
    redirectUris: [],
    postLogoutRedirectUris: [],
    origins: [],
    refreshTokens: true,
    pkce: 'required',
    scopes: ['offers:write', 'issued:read'],
    disabled: false,
    apiVersion: '2026-11-01',
    version: 3,
    createdAt: '2026-11-21T09:30:00.000Z',
    ...changes,
  };
  stubs.clients.set(clientId, {
    app,
    orgSuspended,
    secrets: secrets.map(({ id, secret }) => ({ id, hash: keyedHash(pepper, secret).toString('base64url') })),
  });
  return { clientId, app, secret: secrets[0]!.secret, second: secrets[1]!.secret };
}

export interface Answer {
  status: number;
  headers: Headers;
  text: string;
  json: Record<string, unknown>;
}

export async function post(
  body: string | Record<string, string>,
  { clientId, secret }: { clientId?: string; secret?: string } = {},
  headers: Record<string, string> = {},
  path = '/oauth2/token',
  to = port,
): Promise<Answer> {
  const response = await fetch(`http://127.0.0.1:${to}${path}`, {
    method: 'POST',
    body: typeof body === 'string' ? body : new URLSearchParams(body).toString(),
    headers: {
      'content-type': 'application/x-www-form-urlencoded',
      ...(clientId && { authorization: `Basic ${Buffer.from(`${clientId}:${secret}`).toString('base64')}` }),
      ...headers,
    },
  });
  const text = await response.text();
  return {
    status: response.status,
    headers: response.headers,
    text,
    json: text ? (JSON.parse(text) as Record<string, unknown>) : {},
  };
}
export const ask = (scope: string) => ({ grant_type: 'client_credentials', scope });

/** Changes the stubs as directory does: state first, then seq and heartbeat. */
export async function change(edit: () => void): Promise<void> {
  edit();
  stubs.seq += 1;
  beat();
  await new Promise((resolve) => setTimeout(resolve, 50));
}

export function silenceFeed(): void {
  clearInterval(beating);
}

export async function stopDirectory(): Promise<void> {
  await directory!.stop();
}

export async function startDirectoryAgain(): Promise<void> {
  directory = await start('directory', DirectoryModule);
  beating = setInterval(beat, 100);
}

import { afterAll, beforeAll } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import type { z } from 'zod';
import {
  appAccess,
  beginInvitation,
  beginPersonSignIn,
  completeInvitation,
  completePersonSignIn,
  createApp,
  createOrganization,
  invitePerson,
  streams,
  type App,
  type BusUser,
  type Contract,
  type DirectoryEvent,
  type ReplyOf,
  type Role,
} from '@holdfast/contracts';
import { migrate } from '@holdfast/data';
import { Bus, connectBus, declareStreams, EventConsumer } from '@holdfast/messaging';
import { relyingParty } from '@holdfast/passkeys';
import { createLogger, type Clock } from '@holdfast/platform';
import { startService, type RunningService } from '@holdfast/service';
import {
  collectOnce,
  createTestDatabase,
  eventually,
  patient,
  SoftwareAuthenticator,
  startTestBus,
  testContext,
  withoutTraces,
  type CeremonyOptions,
  type TestBus,
  type TestDatabase,
} from '@holdfast/testing';
import { DirectoryModule } from './app.module.js';
import { startAuditStub } from './audit-stub.fixture.js';
import type { Config } from './config.js';
import { entities } from './entities.js';
import { migrations } from './migrations/index.js';

export const pepper = Buffer.alloc(32, 7);
export const operator = { type: 'operator', id: 'operator' } as const;

let nats: TestBus;
export let database: TestDatabase;
let services: RunningService[];
let consumers: EventConsumer<typeof streams.directory>[];
const connections: NatsConnection[] = [];
/** The port of directory's `/readyz` and `/metrics`. */
export const opsPort = () => services[0]!.opsPort;
export const buses = new Map<BusUser, Bus>();
export const events: DirectoryEvent[] = [];

async function connect(user: BusUser): Promise<NatsConnection> {
  const connection = await connectBus(
    { url: nats.url, nkeySeed: nats.seed(user), user },
    createLogger('test', 'fatal'),
  );
  connections.push(connection);
  return connection;
}

export function request<C extends Contract>(
  contract: C,
  input: z.input<C['request']>,
  user: BusUser = 'operator',
  context = testContext({ actor: operator }),
): Promise<ReplyOf<C>> {
  return buses.get(user)!.request(contract, input, context);
}

/** Starts directory with a real bus, a real database and an organization `acme` before the tests of a file. */
export function withDirectory(baseUrl = 'http://localhost', clock?: Clock): void {
  beforeAll(async () => {
    [nats, database] = await Promise.all([
      startTestBus(),
      createTestDatabase('directory', (url) => migrate('directory', url, migrations), { isCopied: true }),
    ]);
    await declareStreams(await connect('deploy'));
    for (const user of ['operator', 'gateway', 'auth', 'issuance'] as const)
      buses.set(user, patient(new Bus(await connect(user))));
    const config: Config = {
      ...withoutTraces,
      NATS_URL: nats.url,
      NATS_NKEY_SEED: nats.seed('directory'),
      BASE_URL: baseUrl,
      OPS_PORT: 0,
      OPS_HOST: '127.0.0.1',
      LOG_LEVEL: 'fatal',
      HOLDFAST_REPLICA: '1',
      HOLDFAST_EXIT_WITH_PARENT: false,
      DATABASE_URL: database.url(),
      DATABASE_POOL: 12,
      APPS_PER_ORGANIZATION: 1000,
      KEY_ENCRYPTION_KEY: Buffer.alloc(32, 8),
      SECRET_PEPPER: pepper,
      INVITATION_MIN_SECONDS: 600,
      INVITATION_MAX_SECONDS: 2_592_000,
      INVITATION_DEFAULT_SECONDS: 259_200,
      relyingParty: relyingParty(baseUrl),
      OUTBOUND_ALLOW: ['http://localhost:4000'],
      OUTBOUND_ALLOW_LOOPBACK: false,
      OUTBOUND_PORTS: [443],
    };
    const directory = startService({
      service: 'directory',
      config,
      module: DirectoryModule,
      database: { url: config.DATABASE_URL, pool: 12, entities },
      ...(clock && { clock }),
    });
    services = await Promise.all([directory, startAuditStub(config, nats.seed('audit'))]);
    // The other services confirm every event. An erasure ends when all have.
    consumers = await Promise.all(
      streams.directory.consumers.map(
        async (consumer) =>
          new EventConsumer(streams.directory, consumer, new Bus(await connect(consumer)), async (batch) => {
            if (consumer === 'audit') collectOnce(events, batch);
          }),
      ),
    );
    for (const consumer of consumers) consumer.start();
    await request(createOrganization, { shortId: 'acme', name: 'Acme' });
  });

  afterAll(async () => {
    await Promise.all(consumers.map((consumer) => consumer.stop()));
    await Promise.all(services.map((service) => service.stop()));
    for (const connection of connections) await connection.close();
    await Promise.all([nats.stop(), database.drop()]);
  });
}

let count = 0;
export const newName = (what: string) => `${what} ${(count += 1)}`;

export async function newApp(kind: App['kind'], scopes: string[] = [], org = 'acme') {
  return request(createApp, { org, name: newName(kind), kind, scopes });
}
/** A service app that may manage apps, under this client ID. */
export async function insertProgram(clientId: string, org = 'acme'): Promise<void> {
  await database.query(
    `INSERT INTO directory.app (client_id, org, name, kind, audience, redirect_uris, api_version)
     VALUES ($1, $2, $1, 'service', 'customers', '{}', '2026-11-01')`,
    [clientId, org],
  );
  const grant = `INSERT INTO directory.app_grant (client_id, kind, operation) VALUES ($1, 'service', 'apps:manage')`;
  await database.query(grant, [clientId]);
}
export const eventOf = (auditId: string) => eventually(() => events.find((e) => e.audit?.id === auditId) ?? false);
export const entryOf = async (clientId: string, org = 'acme') =>
  (await request(appAccess, { clientId, org }, 'gateway')).entries.find((e) => e.kind === 'app');

export const origin = 'http://localhost';
/** Hash of the secret of the browser in which invitations are accepted. */
const browser = 'b'.repeat(43);

export interface TestPerson {
  id: string;
  email: string;
  name: string;
  authenticator: SoftwareAuthenticator;
  /** The text after the # of the invitation link. */
  token: string;
}

/** A person who was invited by the operator and, unless `accepts` is false, accepted with a new passkey. */
export async function newPerson({
  roles = [],
  org = 'acme',
  name = newName('Ann Lee'),
  email = `${newName('ann')}@example.com`.replace(' ', ''),
  accepts = true,
}: { roles?: Role[]; org?: string; name?: string; email?: string; accepts?: boolean } = {}): Promise<TestPerson> {
  const context = testContext({ org, actor: operator });
  const { user, invitationUrl } = await request(invitePerson, { email, name, roles }, 'operator', context);
  const token = invitationUrl.split('#')[1]!;
  const authenticator = new SoftwareAuthenticator();
  if (accepts) await acceptInvitation(token, authenticator, org);
  return { id: user.id, email, name, authenticator, token };
}

const anonymous = (org: string) => testContext({ org, actor: { type: 'anonymous', id: 'anonymous' } });

/** Begins to accept an invitation and creates the passkey, without sending it. */
export async function registerByInvitation(token: string, authenticator: SoftwareAuthenticator, org = 'acme') {
  const begun = { token, organizationName: 'Acme', browser };
  const { options } = await request(beginInvitation, begun, 'gateway', anonymous(org));
  return authenticator.register(options, { origin });
}

export async function acceptInvitation(token: string, authenticator: SoftwareAuthenticator, org = 'acme') {
  const response = await registerByInvitation(token, authenticator, org);
  return request(completeInvitation, { token, response, browser }, 'gateway', anonymous(org));
}

/** Signs a person in to an app, to which they must be assigned. */
export async function signInPerson(
  authenticator: SoftwareAuthenticator,
  clientId: string,
  { org = 'acme', ...ceremony }: Partial<CeremonyOptions> & { org?: string } = {},
): Promise<ReplyOf<typeof completePersonSignIn>> {
  const interaction = newName('interaction');
  const { options } = await request(beginPersonSignIn, { interaction }, 'auth', anonymous(org));
  const response = authenticator.authenticate(options, { origin, ...ceremony });
  return request(completePersonSignIn, { interaction, clientId, response }, 'auth', anonymous(org));
}

/** The context of a request with the token of a person. */
export const personContext = (id: string, org = 'acme') => testContext({ org, actor: { type: 'person', id } });

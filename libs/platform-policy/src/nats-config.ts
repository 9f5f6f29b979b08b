import {
  addressedSubject,
  consumedBy,
  contracts,
  entryStream,
  inboxPrefix,
  logGrowthSubject,
  natsUsers,
  peerServerSubject,
  probeStream,
  probeSubject,
  projectionAcknowledgementSubject,
  rateLimitSubject,
  readerDomain,
  readerInboxPrefix,
  receptionSubject,
  replicaAnnouncementSubject,
  revocationFeedSubject,
  serviceNames,
  services,
  streamGrowthSubject,
  streams,
  type BusUser,
  type ServiceName,
} from '@holdfast/contracts';

interface Permissions {
  publish: string[];
  subscribe: string[];
  /** May respond to requests, on the reply subject of each. */
  responds: boolean;
}

/**
 * The permissions of a NATS user: to send requests of contracts that name it as caller, handle its own contracts,
 * publish its own events, and pull and acknowledge as its own durable consumers. Only `deploy` may use the rest of the
 * JetStream API.
 */
export function busPermissions(user: BusUser): Permissions {
  const called = contracts.filter((c) => c.callers.includes(user));
  // At the replica that the queue group chooses, and at one that the caller chooses.
  const publish = called.flatMap((c) => [c.subject, addressedSubject(c.subject, '*')]);
  const subscribe = [`${inboxPrefix(user)}.>`, ...new Set(called.map((c) => replicaAnnouncementSubject(c.service)))];
  if (user === 'deploy') {
    const names = Object.values(streams).map((s) => s.name);
    const all = [...names, probeStream.name, entryStream.name];
    publish.push(
      '$JS.API.INFO',
      ...all.flatMap((n) => ['CREATE', 'UPDATE', 'INFO'].map((verb) => `$JS.API.STREAM.${verb}.${n}`)),
      ...all.map(receptionSubject),
    );
    publish.push(
      ...names.flatMap((n) => [
        `$JS.API.CONSUMER.DURABLE.CREATE.${n}.*`,
        `$JS.API.CONSUMER.CREATE.${n}.>`,
        `$JS.API.CONSUMER.INFO.${n}.*`,
      ]),
      `$JS.API.CONSUMER.LIST.${entryStream.name}`,
    );
  }
  if (!isService(user)) return { publish, subscribe, responds: false };

  // Only in the queue group of the service, so that a request is handled once.
  const responds = contracts.some((c) => c.service === user);
  if (responds) {
    subscribe.push(`rpc.${user}.> ${user}`);
    publish.push(replicaAnnouncementSubject(user));
    // One that ends waits for its successor. Audit calls itself.
    if (!subscribe.includes(replicaAnnouncementSubject(user))) subscribe.push(replicaAnnouncementSubject(user));
  }
  publish.push(peerServerSubject(user));
  subscribe.push(peerServerSubject(user));
  for (const s of Object.values(streams).filter((s) => s.producer === user)) {
    publish.push(
      ...s.subjects,
      probeSubject(user),
      `$JS.API.STREAM.INFO.${s.name}`,
      `$JS.API.CONSUMER.INFO.${s.name}.*`,
    );
    subscribe.push(`applied.${user}.*`);
  }
  for (const s of consumedBy(user)) {
    publish.push(`$JS.API.CONSUMER.INFO.${s.name}.${user}`, `$JS.API.CONSUMER.MSG.NEXT.${s.name}.${user}`);
    publish.push(
      `$JS.ACK.${s.name}.${user}.>`,
      ...(s.awaited.includes(user) ? [projectionAcknowledgementSubject(user, s.producer)] : []),
    );
  }
  if (user === 'directory') publish.push(revocationFeedSubject);
  if (user === 'gateway' || user === 'auth') subscribe.push(revocationFeedSubject);
  if (user === 'audit') publish.push(logGrowthSubject, ...entryStreamSubjects);
  if (user === 'gateway' || user === 'signals' || user === 'audit') subscribe.push(logGrowthSubject);
  if (user === 'signals') publish.push(streamGrowthSubject);
  if (user === 'gateway') subscribe.push(streamGrowthSubject);
  // The services that limit callers, each among its own replicas.
  if (services[user].http) {
    const subjects = [rateLimitSubject(user), addressedSubject(rateLimitSubject(user), '*')];
    publish.push(...subjects);
    subscribe.push(...subjects);
  }
  return { publish, subscribe, responds };
}

/** Audit publishes entries, and has a consumer for each reader. */
const entryStreamSubjects = [
  ...entryStream.subjects,
  ...['STREAM.INFO', 'STREAM.MSG.GET', 'CONSUMER.LIST'].map((verb) => `$JS.API.${verb}.${entryStream.name}`),
  ...['INFO', 'DELETE', 'DURABLE.CREATE'].map((verb) => `$JS.API.CONSUMER.${verb}.${entryStream.name}.*`),
  `$JS.API.CONSUMER.CREATE.${entryStream.name}.>`,
];

/** The account of the services and of JetStream. */
const servicesAccount = 'HOLDFAST';

/**
 * Accounts without a reader. nats-server activates the imports of an account that it learns by a reload at the next
 * reload only; so that a reader can read after one, its account exists before. As many can be added at once.
 */
const spareAccounts = 16;

/** What a reader may ask JetStream for: of its own consumer. */
function readerApi(id: string): string[] {
  return ['INFO', 'MSG.NEXT'].map((verb) => `$JS.API.CONSUMER.${verb}.${entryStream.name}.${id}`);
}

function inReaderDomain(subject: string): string {
  return subject.replace('$JS.API', `$JS.${readerDomain}.API`);
}

function readerAcknowledgements(id: string): string {
  return `$JS.ACK.${entryStream.name}.${id}.>`;
}

/** A reader may pull from its own consumer and acknowledge what it got, and nothing else. */
function readerPermissions(id: string, subjectOf: (subject: string) => string) {
  return {
    publish: { allow: [...readerApi(id).map(subjectOf), readerAcknowledgements(id)] },
    subscribe: { allow: [`${readerInboxPrefix(id)}.>`] },
  };
}

/**
 * JetStream responds to the reply subject that a requester chooses, and permissions do not cover that. In an account of
 * its own a reader can choose no subject that anybody else hears (docs/adr/0071-accounts-of-readers.md).
 */
function readerAccounts(readers: [id: string, nkey: string][]) {
  const accounts = readers.map(([id, nkey]) => ({
    users: [{ nkey, permissions: readerPermissions(id, inReaderDomain) }],
    imports: [
      ...readerApi(id).map((subject) => ({
        service: { account: servicesAccount, subject },
        to: inReaderDomain(subject),
      })),
      { service: { account: servicesAccount, subject: readerAcknowledgements(id) } },
    ],
  }));
  const spare = Array.from({ length: spareAccounts }, () => ({}));
  return Object.fromEntries([...accounts, ...spare].map((account, i) => [`READER_${i + 1}`, account]));
}

/** Of the consumers of all readers: an account imports its own only. A pull has many responses. */
const readerExports = [
  { service: `$JS.API.CONSUMER.INFO.${entryStream.name}.*` },
  { service: `$JS.API.CONSUMER.MSG.NEXT.${entryStream.name}.*`, response: 'stream' },
  { service: `$JS.ACK.${entryStream.name}.>` },
];

function isService(user: BusUser): user is ServiceName {
  return (serviceNames as string[]).includes(user);
}

export interface NatsConfigOptions {
  /** Public NKeys (`U…`) of each user: one, or two during a rotation, with the same permissions. */
  publicKeys: Record<BusUser, string | readonly string[]>;
  /** Public NKeys of the readers of the stream of entries, by their ids. */
  readers?: Readonly<Record<string, string>>;
  layout?: NatsLayout;
  host: string;
  port: number;
  /** Folder of JetStream's files. */
  storeDir: string;
  /** Storage of JetStream, 4 GiB by default. Each stream reserves its maximum size of it. */
  maxFileBytes?: number;
  /** PEM files of the server; it then accepts connections with TLS only. */
  tls?: { certFile: string; keyFile: string };
}

/** The complete nats.conf, with the permissions of each user. Users have public NKeys, so it contains no secret. */
export function natsConfig({
  publicKeys,
  readers,
  layout,
  host,
  port,
  storeDir,
  maxFileBytes = 4_294_967_296,
  tls,
}: NatsConfigOptions): string {
  // A JSON object is valid nats.conf.
  const config = {
    host,
    port,
    ...(tls && { tls: { cert_file: tls.certFile, key_file: tls.keyFile } }),
    max_payload: 1_048_576,
    // Evicts a paused or disconnected client within nine seconds. Queue groups and pulls would keep choosing it.
    ping_interval: '3s',
    ping_max: 2,
    write_deadline: '10s',
    jetstream: { store_dir: storeDir, max_mem: 67_108_864, max_file: maxFileBytes },
    ...natsUsersConfig(publicKeys, readers, layout),
  };
  return `${JSON.stringify(config, null, 2)}\n`;
}

/**
 * `accounts`: the services have an account, and each reader. `single`: all are in the global account, as before there
 * were accounts. JetStream keeps the streams of an account, so a deployment stays as it is until all nats-servers are
 * restarted (docs/audit-readers.md).
 */
export type NatsLayout = 'accounts' | 'single';

/** The layout of a file that natsUsersConfig() has made. */
export function layoutOf(usersConfig: string): NatsLayout {
  return 'accounts' in (JSON.parse(usersConfig) as object) ? 'accounts' : 'single';
}

/** The part of nats.conf with the users and their permissions, for a server that is configured otherwise. */
export function natsUsersConfig(
  publicKeys: NatsConfigOptions['publicKeys'],
  readers: NatsConfigOptions['readers'] = {},
  layout: NatsLayout = 'accounts',
): { authorization: unknown; accounts?: unknown } {
  const users = natsUsers.flatMap((user) => {
    const { publish, subscribe, responds } = busPermissions(user);
    return [publicKeys[user]].flat().map((nkey) => ({
      nkey,
      permissions: {
        publish: { allow: publish },
        subscribe: { allow: subscribe },
        ...(responds ? { allow_responses: { max: 1, expires: '1m' } } : {}),
      },
    }));
  });
  // In seconds. On a busy machine a starting process needs longer than the default of 2 s to sign the challenge.
  const timeout = 10;
  if (layout === 'single') {
    const readerUsers = Object.entries(readers).map(([id, nkey]) => ({
      nkey,
      permissions: readerPermissions(id, (subject) => subject),
    }));
    return { authorization: { timeout, users: [...users, ...readerUsers] } };
  }
  return {
    authorization: { timeout },
    accounts: {
      [servicesAccount]: { jetstream: 'enabled', users, exports: readerExports },
      ...readerAccounts(Object.entries(readers)),
    },
  };
}

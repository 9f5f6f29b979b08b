import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { connect, nkeyAuthenticator, PermissionViolationError, type NatsConnection } from '@nats-io/transport-node';
import {
  contracts,
  inboxPrefix,
  natsUsers,
  probeSubject,
  projectionAcknowledgementSubject,
  rateLimitSubject,
  revocationFeedSubject,
  serviceNames,
  services,
  streams,
  type BusUser,
} from '@holdfast/contracts';
import { eventually, startTestBus, type TestBus } from '@holdfast/testing';

const all = Object.values(streams);

/** Where the replicas of other services divide their rate limits. */
function limitedByOthers(user: BusUser): string[] {
  return serviceNames
    .filter((s) => s !== user || !services[s].http)
    .flatMap((s) => [rateLimitSubject(s), `${rateLimitSubject(s)}.1`]);
}

/** Subjects that only their owner may publish on: contracts, events, acknowledgements, replies, and JetStream's API. */
function forbiddenToPublish(user: BusUser): string[] {
  const api = all.flatMap(({ name, consumers }) => [
    `$JS.API.STREAM.PURGE.${name}`,
    `$JS.API.STREAM.DELETE.${name}`,
    `$JS.API.STREAM.MSG.DELETE.${name}`,
    `$JS.API.STREAM.MSG.GET.${name}`,
    `$JS.API.STREAM.SNAPSHOT.${name}`,
    `$JS.API.STREAM.RESTORE.${name}`,
    ...consumers.map((c) => `$JS.API.CONSUMER.DELETE.${name}.${c}`),
    ...(user === 'deploy'
      ? []
      : [
          `$JS.API.STREAM.CREATE.${name}`,
          `$JS.API.STREAM.UPDATE.${name}`,
          `$JS.API.CONSUMER.DURABLE.CREATE.${name}.mine`,
        ]),
    ...consumers
      .filter((c) => c !== user)
      .flatMap((c) => [`$JS.API.CONSUMER.MSG.NEXT.${name}.${c}`, `$JS.ACK.${name}.${c}.1.1.1.1.0`]),
  ]);
  return [
    ...contracts.filter((c) => !c.callers.includes(user)).map((c) => c.subject),
    ...all.filter((s) => s.producer !== user).map((s) => `evt.${s.producer}.anything`),
    ...serviceNames.filter((s) => s !== user || !all.some(({ producer }) => producer === s)).map(probeSubject),
    // A consumer that is not awaited sends no acknowledgements.
    ...all.flatMap((s) =>
      s.consumers
        .filter((c) => c !== user || !s.awaited.includes(c))
        .map((c) => projectionAcknowledgementSubject(c, s.producer)),
    ),
    ...(user === 'directory' ? [] : [revocationFeedSubject]),
    ...limitedByOthers(user),
    ...natsUsers.filter((other) => other !== user).map((other) => `${inboxPrefix(other)}.forged`),
    ...api,
    '$JS.API.STREAM.CREATE.mine',
    '$SYS.REQ.SERVER.PING',
    'anything',
  ];
}

/** Subjects of other users' requests, replies, events and acknowledgements. */
function forbiddenToSubscribe(user: BusUser): string[] {
  return [
    // In its own queue group only, since a request would be handled twice otherwise.
    ...serviceNames.map((s) => `rpc.${s}.>`),
    ...contracts.map((c) => c.subject),
    ...natsUsers.filter((other) => other !== user).map((other) => `${inboxPrefix(other)}.>`),
    ...all.filter((s) => s.producer !== user).map((s) => `applied.${s.producer}.*`),
    ...limitedByOthers(user),
    'evt.>',
    '$JS.>',
    '$SYS.>',
    '_INBOX.>',
    '>',
  ];
}

describe('NATS permissions', () => {
  let nats: TestBus;
  beforeAll(async () => void (nats = await startTestBus()));
  afterAll(() => nats.stop());

  it.each(natsUsers)('%s can neither publish nor subscribe on subjects of others', async (user) => {
    const { connection, violations } = await connectAs(nats, user);
    const publish = forbiddenToPublish(user);
    const subscribe = forbiddenToSubscribe(user);
    publish.forEach((subject) => connection.publish(subject));
    subscribe.forEach((subject) => connection.subscribe(subject, { callback: () => undefined }));
    await eventually(() => violations.length >= publish.length + subscribe.length);
    const denied = (operation: string) => violations.filter((v) => v.operation === operation).map((v) => v.subject);
    expect(denied('publish').sort()).toEqual(publish.sort());
    expect(denied('subscription').sort()).toEqual(subscribe.sort());
    await connection.close();
  });

  it('a service cannot join the queue group of another service', async () => {
    const { connection, violations } = await connectAs(nats, 'gateway');
    connection.subscribe('rpc.issuance.>', { queue: 'issuance', callback: () => undefined });
    await eventually(() =>
      expect(violations).toMatchObject([{ operation: 'subscription', subject: 'rpc.issuance.>', queue: 'issuance' }]),
    );
    await connection.close();
  });

  it('a client without an NKey cannot connect', async () => {
    await expect(connect({ servers: nats.url, reconnect: false })).rejects.toThrow(/authorization/i);
  });
});

async function connectAs(
  nats: TestBus,
  user: BusUser,
): Promise<{ connection: NatsConnection; violations: PermissionViolationError[] }> {
  const authenticator = nkeyAuthenticator(new TextEncoder().encode(nats.seed(user)));
  const connection = await connect({ servers: nats.url, authenticator, inboxPrefix: inboxPrefix(user) });
  const violations: PermissionViolationError[] = [];
  void (async () => {
    for await (const status of connection.status()) {
      if (status.type === 'error' && status.error instanceof PermissionViolationError) violations.push(status.error);
    }
  })();
  return { connection, violations };
}

import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, beforeEach, expect, test } from '@jest/globals';
import { jetstream } from '@nats-io/jetstream';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import {
  accessChanges,
  inboxPrefix,
  projectionAcknowledgementSubject,
  revocationFeedSubject,
  withdrawOffer,
  type BusUser,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import {
  Bus,
  connectBus,
  declareStreams,
  Handles,
  messagesDropped,
  ProjectionAcknowledgements,
  UncertainError,
} from '@holdfast/messaging';
import { createLogger } from '@holdfast/platform';
import { Readiness, startService, type RunningService } from '@holdfast/service';
import { eventually, startTestBus, testConfig, testContext, type TestBus } from '@holdfast/testing';
import { RevocationFeed } from './revocation-feed.js';

/** What a stolen service can do with its own permissions. Each test sends as a NATS user, on a real nats-server. */

const withdrawn: string[] = [];

@Controller()
class Issuance {
  @Handles(withdrawOffer)
  async withdraw({ offerId }: RequestOf<typeof withdrawOffer>): Promise<Record<string, never>> {
    withdrawn.push(offerId);
    return {};
  }
}
@Controller()
class Directory {
  @Handles(accessChanges)
  async changes(): Promise<ReplyOf<typeof accessChanges>> {
    return { seq: 1, entries: [] };
  }
}
@Module({ controllers: [Issuance] })
class IssuanceModule {}
@Module({ controllers: [Directory] })
class DirectoryModule {}

const quiet = createLogger('test', 'fatal');
const connections: NatsConnection[] = [];
let nats: TestBus;
let services: RunningService[];
const as = async (user: BusUser): Promise<NatsConnection> => {
  const connection = await connectBus({ url: nats.url, nkeySeed: nats.seed(user), user }, quiet);
  connections.push(connection);
  return connection;
};
/** Makes JetStream deliver audit's next event, or the status that there is none, to a subject of the thief's choice. */
const deliverTo = (thief: NatsConnection, subject: string, request: object = { batch: 1, no_wait: true }): void =>
  thief.publish('$JS.API.CONSUMER.MSG.NEXT.DIRECTORY.audit', JSON.stringify(request), { reply: subject });
const dropped = async (subject: string): Promise<number> =>
  (await messagesDropped.get()).values
    .filter((v) => v.labels.subject === subject)
    .reduce((sum, { value }) => sum + value, 0);
const packet = (offerId: string, more: object = { id: '1' }) =>
  JSON.stringify({ pattern: withdrawOffer.subject, ...more, data: { input: { offerId }, context: testContext() } });

beforeAll(async () => {
  nats = await startTestBus();
  await declareStreams(await as('deploy'));
  services = [
    await startService({
      service: 'issuance',
      config: testConfig(nats, 'issuance'),
      module: IssuanceModule,
      logger: quiet,
    }),
    await startService({
      service: 'directory',
      config: testConfig(nats, 'directory'),
      module: DirectoryModule,
      logger: quiet,
    }),
  ];
});
afterAll(async () => {
  await Promise.all(services.map((service) => service.stop()));
  await Promise.all(connections.map((connection) => connection.close()));
  await nats.stop();
});
beforeEach(() => void (withdrawn.length = 0));

test('the revocation feed drops what JetStream is made to deliver to it, and continues', async () => {
  const feed = new RevocationFeed(new Bus(await as('gateway')), 'gateway', new Readiness());
  feed.start();
  await eventually(() => feed.fresh);
  const before = await dropped(revocationFeedSubject);
  const audit = await as('audit');
  deliverTo(audit, revocationFeedSubject);
  // The thief can also choose where the responses of API calls and acknowledgements go.
  audit.publish('$JS.API.CONSUMER.INFO.DIRECTORY.audit', '', { reply: revocationFeedSubject });
  await jetstream(await as('directory')).publish('evt.directory.app.updated', '{"seq":1}');
  deliverTo(audit, revocationFeedSubject);
  await eventually(async () => expect((await dropped(revocationFeedSubject)) - before).toBe(3));
  await eventually(() => !feed.fresh);
  const directory = await as('directory');
  directory.publish(revocationFeedSubject, '{"seq":1}');
  await eventually(() => feed.fresh);
});

test("the revocation feed does not take JetStream's acknowledgement of an event for a heartbeat", async () => {
  const feed = new RevocationFeed(new Bus(await as('gateway')), 'gateway', new Readiness());
  feed.start();
  await eventually(() => feed.fresh);
  const [directory, before] = [await as('directory'), await dropped(revocationFeedSubject)];
  const forging = setInterval(
    () => directory.publish('evt.directory.app.updated', '{}', { reply: revocationFeedSubject }),
    50,
  );
  await eventually(() => !feed.fresh);
  await eventually(async () => expect(await dropped(revocationFeedSubject)).toBeGreaterThan(before));
  clearInterval(forging);
  expect(feed.fresh).toBe(false);
});

test('projection acknowledgements drop what JetStream is made to deliver to them, and continue', async () => {
  const acknowledgements = new ProjectionAcknowledgements(await as('directory'), 'directory');
  const subject = projectionAcknowledgementSubject('audit', 'directory');
  const [audit, before] = [await as('audit'), await dropped('applied.directory.*')];
  deliverTo(audit, subject);
  audit.publish(subject, 'not JSON');
  audit.publish(subject, JSON.stringify({ ids: [] }));
  await eventually(async () => expect((await dropped('applied.directory.*')) - before).toBe(3));
  const applied = acknowledgements.wait('audit', 'e', 60_000);
  audit.publish(subject, '["e"]');
  expect(await applied).toBe(true);
});

test('a service does not handle a request that JetStream delivers as an event', async () => {
  const [directory, audit] = [await as('directory'), await as('audit')];
  const before = await dropped(withdrawOffer.subject);
  await jetstream(directory).publish('evt.directory.app.updated', packet(randomUUID()));
  await jetstream(directory).publish('evt.directory.app.updated', packet(randomUUID(), {}));
  deliverTo(audit, withdrawOffer.subject, { batch: 10, no_wait: true });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBeGreaterThanOrEqual(3));
  expect(withdrawn).toEqual([]);
});

test.each([
  ['no reply subject', undefined],
  ["a reply subject in another caller's inbox", `${inboxPrefix('auth')}.x`],
  ['a reply subject in no inbox', 'feed.directory.access'],
  ['a reply subject that only begins like an inbox', `${inboxPrefix('gateway')}2.x`],
])('a service does not handle a request with %s', async (_, reply) => {
  const [gateway, before] = [await as('gateway'), await dropped(withdrawOffer.subject)];
  gateway.publish(withdrawOffer.subject, packet(randomUUID()), reply === undefined ? {} : { reply });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBe(1));
  expect(withdrawn).toEqual([]);
});

test.each([
  ['nothing', ''],
  ['invalid JSON', '{'],
  ['something other than a request', '[]'],
  ['a request without an id', packet(randomUUID(), {})],
])('a service drops a message with %s as its body, and handles the next request', async (_, body) => {
  const [gateway, before] = [await as('gateway'), await dropped(withdrawOffer.subject)];
  gateway.publish(withdrawOffer.subject, body, { reply: `${inboxPrefix('gateway')}.x` });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBe(1));
  const offerId = randomUUID();
  await expect(new Bus(gateway).request(withdrawOffer, { offerId }, testContext())).resolves.toEqual({});
  expect(withdrawn).toEqual([offerId]);
});

test.each([
  ['is empty', () => ''],
  ['is invalid JSON', () => '{'],
  [
    'belongs to another request',
    () => JSON.stringify({ id: 'guessed', response: { seq: 9, entries: [] }, isDisposed: true }),
  ],
  [
    'does not fit the contract',
    (id: string) => JSON.stringify({ id, response: { seq: 'x', entries: [] }, isDisposed: true }),
  ],
])('a caller rejects a reply that %s', async (_, reply) => {
  const [auth, invalidReplies] = [await as('auth'), [] as string[]];
  // An impostor in place of directory.
  await services[1]!.stop();
  const impostor = await as('directory');
  const subscription = impostor.subscribe(accessChanges.subject, {
    queue: 'directory',
    callback: (_error, message) => void message.respond(reply(message.json<{ id: string }>().id)),
  });
  await impostor.flush();
  const bus = new Bus(auth, ({ subject }) => invalidReplies.push(subject));
  await expect(bus.request(accessChanges, { since: 0 }, testContext())).rejects.toThrow(UncertainError);
  expect(new Set(invalidReplies)).toEqual(new Set([accessChanges.subject]));
  subscription.unsubscribe();
  await impostor.flush();
  services[1] = await startService({
    service: 'directory',
    config: testConfig(nats, 'directory'),
    module: DirectoryModule,
    logger: quiet,
  });
  await expect(bus.request(accessChanges, { since: 0 }, testContext())).resolves.toEqual({ seq: 1, entries: [] });
});

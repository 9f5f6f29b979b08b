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

/**
 * What a stolen service can do with its own rights: everything here is tried as a user of the bus, on a real
 * nats-server.
 */

const carriedOut: string[] = [];

@Controller()
class Issuance {
  @Handles(withdrawOffer)
  async withdraw({ offerId }: RequestOf<typeof withdrawOffer>): Promise<Record<string, never>> {
    carriedOut.push(offerId);
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
/** Has JetStream deliver the next event of audit, or word that there is none, wherever the thief wants it. */
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
beforeEach(() => void (carriedOut.length = 0));

test('the access feed goes on when JetStream is made to deliver into it', async () => {
  const feed = new RevocationFeed(new Bus(await as('gateway')), 'gateway', new Readiness());
  feed.start();
  await eventually(() => feed.fresh);
  const before = await dropped(revocationFeedSubject);
  const audit = await as('audit');
  deliverTo(audit, revocationFeedSubject);
  // Of an API call and of an acknowledgement the answer goes where the thief wants it as well.
  audit.publish('$JS.API.CONSUMER.INFO.DIRECTORY.audit', '', { reply: revocationFeedSubject });
  await jetstream(await as('directory')).publish('evt.directory.app.updated', '{"seq":1}');
  deliverTo(audit, revocationFeedSubject);
  await eventually(async () => expect((await dropped(revocationFeedSubject)) - before).toBe(3));
  await eventually(() => !feed.fresh);
  const directory = await as('directory');
  directory.publish(revocationFeedSubject, '{"seq":1}');
  await eventually(() => feed.fresh);
});

test("JetStream's acknowledgement of an event is no heartbeat, though it has a number of the same name", async () => {
  const feed = new RevocationFeed(new Bus(await as('gateway')), 'gateway', new Readiness());
  feed.start();
  await eventually(() => feed.fresh);
  const [directory, before] = [await as('directory'), await dropped(revocationFeedSubject)];
  const forging = setInterval(
    () => directory.publish('evt.directory.app.updated', '{}', { reply: revocationFeedSubject }),
    50,
  );
  await eventually(() => !feed.fresh, 5000);
  clearInterval(forging);
  expect(await dropped(revocationFeedSubject)).toBeGreaterThan(before);
});

test('notices of applied events go on when JetStream is made to deliver into them', async () => {
  const notices = new ProjectionAcknowledgements(await as('directory'), 'directory');
  const subject = projectionAcknowledgementSubject('audit', 'directory');
  const [audit, before] = [await as('audit'), await dropped('applied.directory.*')];
  deliverTo(audit, subject);
  audit.publish(subject, 'nothing that could be read');
  audit.publish(subject, JSON.stringify({ ids: [] }));
  await eventually(async () => expect((await dropped('applied.directory.*')) - before).toBe(3));
  const applied = notices.wait('audit', 'e', 5000);
  audit.publish(subject, '["e"]');
  expect(await applied).toBe(true);
});

test('an event that is a request is not carried out, though JetStream delivers it to the handler', async () => {
  const [directory, audit] = [await as('directory'), await as('audit')];
  const before = await dropped(withdrawOffer.subject);
  await jetstream(directory).publish('evt.directory.app.updated', packet(randomUUID()));
  await jetstream(directory).publish('evt.directory.app.updated', packet(randomUUID(), {}));
  deliverTo(audit, withdrawOffer.subject, { batch: 10, no_wait: true });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBeGreaterThanOrEqual(3));
  expect(carriedOut).toEqual([]);
});

test.each([
  ['no reply subject', undefined],
  ["a reply subject in another caller's inbox", `${inboxPrefix('auth')}.x`],
  ['a reply subject in no inbox', 'feed.directory.access'],
  ['a reply subject that only begins like an inbox', `${inboxPrefix('gateway')}2.x`],
])('a request with %s is not carried out', async (_, reply) => {
  const [gateway, before] = [await as('gateway'), await dropped(withdrawOffer.subject)];
  gateway.publish(withdrawOffer.subject, packet(randomUUID()), reply === undefined ? {} : { reply });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBe(1));
  expect(carriedOut).toEqual([]);
});

test.each([
  ['nothing', ''],
  ['no JSON', '{'],
  ['no request', '[]'],
  ['a request without an id, which nobody would be answered', packet(randomUUID(), {})],
])('a message of %s is dropped, and the next request is answered', async (_, body) => {
  const [gateway, before] = [await as('gateway'), await dropped(withdrawOffer.subject)];
  gateway.publish(withdrawOffer.subject, body, { reply: `${inboxPrefix('gateway')}.x` });
  await eventually(async () => expect((await dropped(withdrawOffer.subject)) - before).toBe(1));
  const offerId = randomUUID();
  await expect(new Bus(gateway).request(withdrawOffer, { offerId }, testContext())).resolves.toEqual({});
  expect(carriedOut).toEqual([offerId]);
});

test.each([
  ['is empty', () => ''],
  ['is no JSON', () => '{'],
  [
    'belongs to another request',
    () => JSON.stringify({ id: 'guessed', response: { seq: 9, entries: [] }, isDisposed: true }),
  ],
  [
    'does not fit the contract',
    (id: string) => JSON.stringify({ id, response: { seq: 'x', entries: [] }, isDisposed: true }),
  ],
])('a reply that %s is not believed', async (_, reply) => {
  const [auth, misfits] = [await as('auth'), [] as string[]];
  // Somebody in the place of directory, who answers as it likes.
  await services[1]!.stop();
  const impostor = await as('directory');
  const subscription = impostor.subscribe(accessChanges.subject, {
    queue: 'directory',
    callback: (_error, message) => void message.respond(reply(message.json<{ id: string }>().id)),
  });
  await impostor.flush();
  const bus = new Bus(auth, ({ subject }) => misfits.push(subject));
  await expect(bus.request(accessChanges, { since: 0 }, testContext())).rejects.toThrow(UncertainError);
  expect(new Set(misfits)).toEqual(new Set([accessChanges.subject]));
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

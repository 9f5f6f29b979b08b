import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import {
  accessChanges,
  appAccess,
  revocationFeedSubject,
  type AccessEntry,
  type ReplyOf,
  type RequestOf,
} from '@holdfast/contracts';
import { Bus, connectBus, Handles } from '@holdfast/messaging';
import { AppError, createLogger, type BaseConfig } from '@holdfast/platform';
import { Readiness, startService, type RunningService } from '@holdfast/service';
import { eventually, startTestBus, type TestBus } from '@holdfast/testing';
import { RevocationFeed } from './revocation-feed.js';

/** A directory that the test writes. */
const book = { seq: 3, entries: [] as AccessEntry[], asked: 0, loaded: 0, broken: false };

@Controller()
class Directory {
  @Handles(accessChanges)
  async changes({ since }: RequestOf<typeof accessChanges>): Promise<ReplyOf<typeof accessChanges>> {
    book.loaded += 1;
    if (book.broken) throw new AppError('unavailable');
    return { seq: book.seq, entries: book.entries.filter((e) => e.seq > since) };
  }

  @Handles(appAccess)
  async access({ clientId, org }: RequestOf<typeof appAccess>): Promise<ReplyOf<typeof appAccess>> {
    book.asked += 1;
    if (book.broken) throw new AppError('unavailable');
    const both = [app(book.seq, clientId), { ...app(book.seq, org), kind: 'organization' as const }];
    return { entries: both.map((e) => book.entries.findLast((known) => known.id === e.id) ?? e) };
  }
}
@Module({ controllers: [Directory] })
class DirectoryModule {}

const app = (seq: number, id: string, changes: Partial<AccessEntry> = {}): AccessEntry => ({
  seq,
  kind: 'app',
  id,
  disabled: false,
  minVersion: 0,
  revokedSecrets: [],
  ...changes,
});
const token = (client_id: string) => ({ client_id, org: 'acme', client_version: 1 });

let nats: TestBus;
let directory: RunningService;
let heart: NatsConnection;
let gateway: NatsConnection;
let feed: RevocationFeed;
let readiness: Readiness;
let beating: NodeJS.Timeout | undefined;

const beat = () => heart.publish(revocationFeedSubject, JSON.stringify({ seq: book.seq }));
const live = () => (beating ??= setInterval(beat, 100));
const silence = () => (beating = void clearInterval(beating));
const disable = (id: string) => book.entries.push(app((book.seq += 1), id, { disabled: true }));

beforeAll(async () => {
  nats = await startTestBus();
  const silent = createLogger('test', 'fatal');
  const config: BaseConfig = {
    NATS_URL: nats.url,
    NATS_NKEY_SEED: nats.seed('directory'),
    BASE_URL: 'http://localhost',
    OPS_PORT: 0,
    OPS_HOST: '127.0.0.1',
    LOG_LEVEL: 'fatal',
    HOLDFAST_REPLICA: '1',
    HOLDFAST_EXIT_WITH_PARENT: false,
  };
  directory = await startService({ service: 'directory', config, module: DirectoryModule, logger: silent });
  heart = await connectBus({ url: nats.url, nkeySeed: nats.seed('directory'), user: 'directory' }, silent);
});
beforeEach(async () => {
  Object.assign(book, { seq: 3, entries: [app(3, 'app_old', { disabled: true })], asked: 0, loaded: 0, broken: false });
  gateway = await connectBus(
    { url: nats.url, nkeySeed: nats.seed('gateway'), user: 'gateway' },
    createLogger('test', 'fatal'),
  );
  readiness = new Readiness();
  feed = new RevocationFeed(new Bus(gateway), 'gateway', readiness);
});
afterEach(async () => {
  silence();
  book.broken = false;
  await eventually(() => readiness.ready());
  await gateway.close();
});
afterAll(async () => {
  await directory.stop();
  await heart.close();
  await nats.stop();
});

async function started(): Promise<void> {
  live();
  feed.start();
  await eventually(() => readiness.ready());
}

test('is not ready before the snapshot, and tries until it is there', async () => {
  book.broken = true;
  feed.start();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([await readiness.ready(), feed.fresh]).toEqual([false, false]);
  book.broken = false;
  await eventually(() => readiness.ready());
  expect(feed.fresh).toBe(true);
  expect(feed.entry('app', 'app_old')).toMatchObject({ disabled: true });
});

test('a change is known as soon as a heartbeat tells of it, and listeners hear of it', async () => {
  await started();
  const heard: string[] = [];
  feed.onChange((entry) => heard.push(entry?.id ?? 'everything'));
  expect(await feed.check(token('app_1'))).toBe('ok');
  disable('app_1');
  beat();
  await eventually(() => feed.entry('app', 'app_1') !== undefined, 200);
  expect(await feed.check(token('app_1'))).toBe('refused');
  expect(await feed.check(token('app_2'))).toBe('ok');
  expect(heard).toEqual(['app_1']);
  expect(book.asked).toBe(0);
});

test('what is disabled is refused within a second, though no heartbeat ever tells of it', async () => {
  await started();
  silence();
  disable('app_1');
  const began = performance.now();
  await eventually(async () => (await feed.check(token('app_1'))) === 'refused', 3000);
  // The bound is a second (revocation-feed.ts: staleAfterMs); a busy machine gets some more to notice.
  expect(performance.now() - began).toBeLessThan(2000);
});

test('silent: directory is asked, four times a second at the most for one app', async () => {
  await started();
  silence();
  await eventually(() => !feed.fresh, 1500);
  expect(await Promise.all(Array.from({ length: 50 }, () => feed.check(token('app_1'))))).toEqual(Array(50).fill('ok'));
  expect(book.asked).toBe(1);
  await feed.check(token('app_2'));
  expect(book.asked).toBe(2);
});

test('silent, and directory cannot answer: nobody is let in, and nothing of that is kept', async () => {
  await started();
  silence();
  await eventually(() => !feed.fresh, 1500);
  book.broken = true;
  await expect(feed.check(token('app_1'))).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  book.broken = false;
  expect(await feed.check(token('app_1'))).toBe('ok');
});

test('a heartbeat of what cannot be loaded confirms nothing', async () => {
  await started();
  book.broken = true;
  disable('app_1');
  await eventually(() => !feed.fresh, 1500);
  await expect(feed.check(token('app_1'))).rejects.toMatchObject({ code: 'unavailable' });
  book.broken = false;
  await eventually(() => feed.fresh);
  expect(await feed.check(token('app_1'))).toBe('refused');
});

test('a late heartbeat confirms nothing', async () => {
  await started();
  silence();
  for (let i = 0; i < 12; i += 1) {
    heart.publish(revocationFeedSubject, JSON.stringify({ seq: 1 }));
    await new Promise((resolve) => setTimeout(resolve, 60));
  }
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect(feed.fresh).toBe(false);
});

test('a database that was set back: everything is loaded again and everybody told', async () => {
  await started();
  const heard: (string | undefined)[] = [];
  feed.onChange((entry) => heard.push(entry?.id));
  Object.assign(book, { seq: 2, entries: [app(2, 'app_older', { disabled: true })] });
  await eventually(() => feed.entry('app', 'app_older') !== undefined, 3000);
  expect(feed.entry('app', 'app_old')).toBeUndefined();
  expect(heard).toEqual([undefined, 'app_older']);
});

test('a heartbeat that announces what directory does not have makes no loop, and hides no change', async () => {
  await started();
  const [began, before] = [performance.now(), book.loaded];
  const forging = setInterval(
    () => heart.publish(revocationFeedSubject, JSON.stringify({ seq: Number.MAX_SAFE_INTEGER })),
    5,
  );
  await new Promise((resolve) => setTimeout(resolve, 1500));
  disable('app_1');
  await eventually(() => feed.entry('app', 'app_1') !== undefined, 2000);
  clearInterval(forging);
  expect(book.loaded - before).toBeLessThanOrEqual((performance.now() - began) / 250 + 2);
  await eventually(() => feed.fresh);
});

test('a heartbeat of an older change, while directory is silent, takes nothing away that is known', async () => {
  await started();
  silence();
  await eventually(() => !feed.fresh, 1500);
  book.broken = true;
  heart.publish(revocationFeedSubject, JSON.stringify({ seq: 1 }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([await readiness.ready(), feed.fresh]).toEqual([true, false]);
  expect(feed.entry('app', 'app_old')).toMatchObject({ disabled: true });
  book.broken = false;
  await eventually(() => feed.fresh);
});

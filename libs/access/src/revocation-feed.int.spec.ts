import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from '@jest/globals';
import type { NatsConnection } from '@nats-io/transport-node';
import { Controller, Module } from '@nestjs/common';
import { register } from 'prom-client';
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

/** State of the directory stub. */
const state = { seq: 3, entries: [] as AccessEntry[], queries: 0, loads: 0, unavailable: false };
/** What happens between the read of the next request and its response. */
let beforeResponse: (() => Promise<void>) | undefined;

@Controller()
class Directory {
  @Handles(accessChanges)
  async changes({ since }: RequestOf<typeof accessChanges>): Promise<ReplyOf<typeof accessChanges>> {
    state.loads += 1;
    if (state.unavailable) throw new AppError('unavailable');
    const { seq } = state;
    const entries = state.entries.filter((e) => e.seq > since);
    const work = beforeResponse;
    beforeResponse = undefined;
    await work?.();
    return { seq, entries };
  }

  @Handles(appAccess)
  async access({ clientId, org }: RequestOf<typeof appAccess>): Promise<ReplyOf<typeof appAccess>> {
    state.queries += 1;
    if (state.unavailable) throw new AppError('unavailable');
    const both = [app(state.seq, clientId), { ...app(state.seq, org), kind: 'organization' as const }];
    return { entries: both.map((e) => state.entries.findLast((entry) => entry.id === e.id) ?? e) };
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
let publisher: NatsConnection;
let gateway: NatsConnection;
let feed: RevocationFeed;
let readiness: Readiness;
let heartbeats: NodeJS.Timeout | undefined;

const sendHeartbeat = () => publisher.publish(revocationFeedSubject, JSON.stringify({ seq: state.seq }));
const startHeartbeats = () => (heartbeats ??= setInterval(sendHeartbeat, 100));
const stopHeartbeats = () => (heartbeats = void clearInterval(heartbeats));
const disable = (id: string) => state.entries.push(app((state.seq += 1), id, { disabled: true }));

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
  publisher = await connectBus({ url: nats.url, nkeySeed: nats.seed('directory'), user: 'directory' }, silent);
});
beforeEach(async () => {
  Object.assign(state, {
    seq: 3,
    entries: [app(3, 'app_old', { disabled: true })],
    queries: 0,
    loads: 0,
    unavailable: false,
  });
  gateway = await connectBus(
    { url: nats.url, nkeySeed: nats.seed('gateway'), user: 'gateway' },
    createLogger('test', 'fatal'),
  );
  readiness = new Readiness();
  feed = new RevocationFeed(new Bus(gateway), 'gateway', readiness);
});
afterEach(async () => {
  stopHeartbeats();
  state.unavailable = false;
  await eventually(async () => (await readiness.report()).ready);
  await gateway.close();
});
afterAll(async () => {
  await directory.stop();
  await publisher.close();
  await nats.stop();
});

async function started(): Promise<void> {
  startHeartbeats();
  feed.start();
  await eventually(async () => (await readiness.report()).ready);
}

test('is not ready before the snapshot is loaded, and retries until it is', async () => {
  state.unavailable = true;
  feed.start();
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect([(await readiness.report()).ready, feed.fresh]).toEqual([false, false]);
  state.unavailable = false;
  await eventually(async () => (await readiness.report()).ready);
  expect(feed.fresh).toBe(true);
  expect(feed.entry('app', 'app_old')).toMatchObject({ disabled: true });
});

test('loads a change when a heartbeat announces it, and calls the listeners', async () => {
  await started();
  const changes: string[] = [];
  feed.onChange((entry) => changes.push(entry?.id ?? 'everything'));
  expect(await feed.check(token('app_1'))).toBe('valid');
  disable('app_1');
  sendHeartbeat();
  await eventually(() => feed.entry('app', 'app_1') !== undefined);
  expect(changes).toEqual(['app_1']);
  // On a busy machine a heartbeat may be late, so that directory is queried once.
  await eventually(async () => {
    const before = state.queries;
    expect(await feed.check(token('app_1'))).toBe('revoked');
    expect(await feed.check(token('app_2'))).toBe('valid');
    expect(state.queries).toBe(before);
  });
});

test('refuses a disabled app as soon as the last heartbeat is stale, without any further one', async () => {
  await started();
  stopHeartbeats();
  disable('app_1');
  // After a second at most (staleAfterMs in revocation-feed.ts).
  await eventually(() => !feed.fresh);
  expect(await feed.check(token('app_1'))).toBe('revoked');
});

test('without heartbeats queries directory, four times a second at most for one app', async () => {
  await started();
  stopHeartbeats();
  await eventually(() => !feed.fresh);
  expect(await Promise.all(Array.from({ length: 50 }, () => feed.check(token('app_1'))))).toEqual(
    Array(50).fill('valid'),
  );
  expect(state.queries).toBe(1);
  await feed.check(token('app_2'));
  expect(state.queries).toBe(2);
});

test('without heartbeats and directory denies every token, and caches no failure', async () => {
  await started();
  stopHeartbeats();
  await eventually(() => !feed.fresh);
  state.unavailable = true;
  await expect(feed.check(token('app_1'))).rejects.toMatchObject({ code: 'unavailable', status: 503 });
  state.unavailable = false;
  expect(await feed.check(token('app_1'))).toBe('valid');
});

test('stays stale when a heartbeat announces a change that cannot be loaded', async () => {
  await started();
  state.unavailable = true;
  disable('app_1');
  await eventually(() => !feed.fresh);
  await expect(feed.check(token('app_1'))).rejects.toMatchObject({ code: 'unavailable' });
  state.unavailable = false;
  await eventually(() => feed.fresh);
  expect(await feed.check(token('app_1'))).toBe('revoked');
});

test('becomes stale although late heartbeats arrive', async () => {
  await started();
  stopHeartbeats();
  await eventually(() => {
    publisher.publish(revocationFeedSubject, JSON.stringify({ seq: 1 }));
    return !feed.fresh;
  });
});

test('loads everything again, and calls the listeners, when the database was restored to an older state', async () => {
  await started();
  const changes: (string | undefined)[] = [];
  feed.onChange((entry) => changes.push(entry?.id));
  Object.assign(state, { seq: 2, entries: [app(2, 'app_older', { disabled: true })] });
  await eventually(() => feed.entry('app', 'app_older') !== undefined);
  expect(feed.entry('app', 'app_old')).toBeUndefined();
  expect(changes).toEqual([undefined, 'app_older']);
});

test('queries at a bounded rate, and misses no change, when forged heartbeats arrive', async () => {
  await started();
  const [began, before] = [performance.now(), state.loads];
  const forging = setInterval(
    () => publisher.publish(revocationFeedSubject, JSON.stringify({ seq: Number.MAX_SAFE_INTEGER })),
    5,
  );
  await new Promise((resolve) => setTimeout(resolve, 1500));
  disable('app_1');
  await eventually(() => feed.entry('app', 'app_1') !== undefined);
  clearInterval(forging);
  expect(state.loads - before).toBeLessThanOrEqual((performance.now() - began) / 250 + 2);
  await eventually(() => feed.fresh);
});

test('does not count a change that is announced while it loads as a forged heartbeat', async () => {
  await started();
  stopHeartbeats();
  const dropped = () => register.getSingleMetricAsString('holdfast_bus_messages_dropped_total');
  const before = await dropped();
  beforeResponse = async () => {
    disable('app_2');
    sendHeartbeat();
    // It reaches the gateway before the response, which the server receives after this.
    await publisher.flush();
  };
  disable('app_1');
  sendHeartbeat();
  await eventually(() => feed.entry('app', 'app_2') !== undefined);
  expect(await dropped()).toBe(before);
  startHeartbeats();
});

test('keeps its entries when a heartbeat has an older change and directory is unavailable', async () => {
  await started();
  stopHeartbeats();
  await eventually(() => !feed.fresh);
  state.unavailable = true;
  publisher.publish(revocationFeedSubject, JSON.stringify({ seq: 1 }));
  await new Promise((resolve) => setTimeout(resolve, 300));
  expect([(await readiness.report()).ready, feed.fresh]).toEqual([true, false]);
  expect(feed.entry('app', 'app_old')).toMatchObject({ disabled: true });
  state.unavailable = false;
  // Without heartbeats the state that it loads is fresh for a moment only.
  startHeartbeats();
  await eventually(() => feed.fresh);
});

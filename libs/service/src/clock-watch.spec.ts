import { beforeEach, describe, expect, it } from '@jest/globals';
import type { ServiceName } from '@holdfast/contracts';
import { createLogger } from '@holdfast/platform';
import { ClockWatch } from './clock-watch.js';

const hour = 3_600_000;
const trueEpochMs = 1_800_000_000_000;
let monotonicMs: number;
let aheadMs: number;

beforeEach(() => {
  [monotonicMs, aheadMs] = [10_000, 0];
});

/** A service on a machine whose clock is `aheadMs` ahead of the true time. */
function watchOf(hasDatabase: boolean, options: { maxOffsetMs?: number; testOffsetMs?: number } = {}) {
  const watch = new ClockWatch({
    hasDatabase,
    ...options,
    monotonicMs: () => monotonicMs,
    machineMs: () => trueEpochMs + monotonicMs + aheadMs + (options.testOffsetMs ?? 0),
  });
  const announcePeers = (offsets: Partial<Record<ServiceName, number>>, delayMs = 0, replica = 'replica0001') => {
    for (const [service, ahead] of Object.entries(offsets))
      watch.observePeer(service as ServiceName, { replica, atMs: trueEpochMs + monotonicMs - delayMs + ahead });
  };
  return {
    watch,
    /** Reads PostgreSQL's clock, which is `ahead` ms ahead of the true time. */
    readDatabase: (ahead = 0) =>
      watch.observeDatabase({
        sentAtMs: monotonicMs - 2,
        remoteMs: trueEpochMs + monotonicMs - 1 + ahead,
        receivedAtMs: monotonicMs,
      }),
    announcePeers,
    /** Announces four times a second for three seconds. */
    announceForSeconds: (offsets: Partial<Record<ServiceName, number>>) => {
      for (let i = 0; i < 12; i += 1) {
        announcePeers(offsets);
        monotonicMs += 250;
      }
    },
  };
}

describe('the time of a service with a database', () => {
  it('is that of its machine while the clocks agree', () => {
    const { watch, readDatabase } = watchOf(true);
    readDatabase();
    aheadMs = 200;
    expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs + 200);
    expect(watch.trust()).toBe('agreed');
  });

  it.each([hour, -hour])("is PostgreSQL's while the machine's clock is off by %s ms", (step) => {
    const { watch, readDatabase } = watchOf(true);
    readDatabase();
    monotonicMs += 500;
    aheadMs = step;
    expect(Math.abs(watch.now().getTime() - (trueEpochMs + monotonicMs))).toBeLessThanOrEqual(2);
    expect(watch.trust()).toBe('wrong');
    aheadMs = 0;
    expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs);
    expect(watch.trust()).toBe('agreed');
  });

  it("is disputed before the first reading of PostgreSQL's clock", () => {
    const { watch, readDatabase } = watchOf(true);
    expect(watch.trust()).toBe('disputed');
    readDatabase();
    monotonicMs += 100;
    expect(watch.trust()).toBe('agreed');
  });

  it('is disputed, and not wrong, when the other services contradict PostgreSQL', () => {
    const { watch, readDatabase, announcePeers } = watchOf(true);
    readDatabase(hour);
    announcePeers({ directory: 0, audit: 3, issuance: -3 });
    expect(watch.trust()).toBe('disputed');
    expect(watch.remarks()).toEqual(["the clock of this machine is 3600.0 s behind PostgreSQL's"]);
  });

  it('is wrong when PostgreSQL and the other services contradict it', () => {
    const { watch, readDatabase, announceForSeconds } = watchOf(true);
    aheadMs = hour;
    readDatabase();
    announceForSeconds({ directory: 0, audit: 3 });
    expect(watch.trust()).toBe('wrong');
    expect(watch.remarks()).toHaveLength(2);
  });

  it('is shifted by HOLDFAST_TEST_CLOCK and still agreed', () => {
    const { watch, readDatabase } = watchOf(true, { testOffsetMs: 24 * hour });
    readDatabase();
    expect(watch.trust()).toBe('agreed');
    aheadMs = hour;
    monotonicMs += 1;
    expect(Math.abs(watch.now().getTime() - (trueEpochMs + 24 * hour + monotonicMs))).toBeLessThanOrEqual(2);
  });
});

describe('a service without a database', () => {
  it.each([660_000, -660_000])(
    'has a wrong clock when it is %s ms off most of the others, and does not correct it',
    (step) => {
      const { watch, announceForSeconds } = watchOf(false);
      aheadMs = step;
      announceForSeconds({ directory: 0, audit: 3, issuance: -3 });
      expect(watch.trust()).toBe('wrong');
      expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs + step);
    },
  );

  it.each<[string, Partial<Record<ServiceName, number>>]>([
    ['no other service announces itself', {}],
    ['one other service announces itself', { directory: hour }],
    ['one of two others differs', { directory: hour, audit: 0 }],
    ['two of four others differ', { directory: hour, audit: -hour, issuance: 0, subjects: 0 }],
  ])('has an agreed clock when %s', (_, offsets) => {
    const { watch, announceForSeconds } = watchOf(false);
    announceForSeconds(offsets);
    expect(watch.trust()).toBe('agreed');
  });

  it('ignores forged replicas of one service', () => {
    const { watch, announcePeers } = watchOf(false);
    announcePeers({ directory: 0, audit: 0, issuance: 0 });
    for (let i = 0; i < 1000; i += 1) announcePeers({ subjects: hour }, 0, `madeup${String(i).padStart(6, '0')}`);
    expect(watch.trust()).toBe('agreed');
  });

  it('ignores delayed announcements after a pause, and is wrong by the first one that proves it behind', () => {
    const { watch, announcePeers, announceForSeconds } = watchOf(false);
    announceForSeconds({ directory: 0, audit: 0, issuance: 0 });
    monotonicMs += 40_000;
    for (let ago = 40_000; ago > 30_000; ago -= 250) announcePeers({ directory: 0, audit: 0, issuance: 0 }, ago);
    expect(watch.trust()).toBe('agreed');
    monotonicMs += 10_000;
    aheadMs = -hour;
    announcePeers({ directory: 0, audit: 0, issuance: 0 });
    expect(watch.trust()).toBe('wrong');
  });

  it('uses the fastest announcement of the last five seconds', () => {
    const { watch, announcePeers } = watchOf(false);
    announcePeers({ directory: 0, audit: 0 });
    monotonicMs += 4000;
    announcePeers({ directory: 0, audit: 0 }, 40_000);
    expect(watch.trust()).toBe('agreed');
    aheadMs = -hour;
    expect(watch.trust()).toBe('wrong');
    // Silent services have no vote.
    monotonicMs += 6000;
    expect(watch.trust()).toBe('agreed');
  });
});

it('logs when the clocks begin to disagree, once a minute, and when they agree again', () => {
  const lines: { level: number; msg: string }[] = [];
  const { watch, readDatabase } = watchOf(true);
  const logger = createLogger('test', 'info', '1', {
    write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]),
  });
  const report = () => watch.report(logger);
  readDatabase();
  report();
  aheadMs = hour;
  for (let i = 0; i < 90; i += 1) {
    monotonicMs += 1000;
    report();
  }
  aheadMs = 0;
  report();
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining(
      "the clock of this machine is 3600.0 s ahead of PostgreSQL's. The service is not ready until they agree",
    ),
    expect.stringContaining('3600.0 s ahead'),
    'the clock of this machine agrees with the others again',
  ]);
});

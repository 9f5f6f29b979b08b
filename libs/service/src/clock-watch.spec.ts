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

/** A service whose machine's clock is `aheadMs` ahead of the truth. */
function watchOf(hasDatabase: boolean, options: { maxOffsetMs?: number; testOffsetMs?: number } = {}) {
  const watch = new ClockWatch({
    hasDatabase,
    ...options,
    monotonicMs: () => monotonicMs,
    machineMs: () => trueEpochMs + monotonicMs + aheadMs + (options.testOffsetMs ?? 0),
  });
  const hear = (offsets: Partial<Record<ServiceName, number>>, delayMs = 0, replica = 'replica0001') => {
    for (const [service, ahead] of Object.entries(offsets))
      watch.hear(service as ServiceName, { replica, atMs: trueEpochMs + monotonicMs - delayMs + ahead });
  };
  return {
    watch,
    /** PostgreSQL is read, by a clock that is this much ahead of the truth. */
    readDatabase: (ahead = 0) =>
      watch.observeDatabase({
        sentAtMs: monotonicMs - 2,
        remoteMs: trueEpochMs + monotonicMs - 1 + ahead,
        receivedAtMs: monotonicMs,
      }),
    hear,
    /** As `hear`, four times a second for some seconds. */
    listen: (offsets: Partial<Record<ServiceName, number>>) => {
      for (let i = 0; i < 12; i += 1) {
        hear(offsets);
        monotonicMs += 250;
      }
    },
  };
}

describe('the time of a service with a database', () => {
  it('is its own while the two agree', () => {
    const { watch, readDatabase } = watchOf(true);
    readDatabase();
    aheadMs = 200;
    expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs + 200);
    expect(watch.trust()).toBe('agreed');
  });

  it.each([hour, -hour])(
    "is PostgreSQL's from the moment at which its own steps by %s ms, and its own again afterwards",
    (step) => {
      const { watch, readDatabase } = watchOf(true);
      readDatabase();
      monotonicMs += 500;
      aheadMs = step;
      expect(Math.abs(watch.now().getTime() - (trueEpochMs + monotonicMs))).toBeLessThanOrEqual(2);
      expect(watch.trust()).toBe('wrong');
      aheadMs = 0;
      expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs);
      expect(watch.trust()).toBe('agreed');
    },
  );

  it('is not trusted before PostgreSQL has been asked', () => {
    const { watch, readDatabase } = watchOf(true);
    expect(watch.trust()).toBe('disputed');
    readDatabase();
    monotonicMs += 100;
    expect(watch.trust()).toBe('agreed');
  });

  it("is disputed, and not wrong, where the other machines contradict PostgreSQL's", () => {
    const { watch, readDatabase, hear } = watchOf(true);
    readDatabase(hour);
    hear({ directory: 0, audit: 3, issuance: -3 });
    expect(watch.trust()).toBe('disputed');
    expect(watch.remarks()).toEqual(["the clock of this machine is 3600.0 s behind PostgreSQL's"]);
  });

  it('is wrong where both contradict it', () => {
    const { watch, readDatabase, listen } = watchOf(true);
    aheadMs = hour;
    readDatabase();
    listen({ directory: 0, audit: 3 });
    expect(watch.trust()).toBe('wrong');
    expect(watch.remarks()).toHaveLength(2);
  });

  it('moves with HOLDFAST_TEST_CLOCK, which is no error', () => {
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
    'is wrong when it is %s ms from most of the others, and takes nobody else for its time',
    (step) => {
      const { watch, listen } = watchOf(false);
      aheadMs = step;
      listen({ directory: 0, audit: 3, issuance: -3 });
      expect(watch.trust()).toBe('wrong');
      expect(watch.now().getTime()).toBe(trueEpochMs + monotonicMs + step);
    },
  );

  it.each<[string, Partial<Record<ServiceName, number>>]>([
    ['nobody is heard', {}],
    ['one other is heard', { directory: hour }],
    ['one of two others differs', { directory: hour, audit: 0 }],
    ['two of four others differ', { directory: hour, audit: -hour, issuance: 0, subjects: 0 }],
  ])('is trusted when %s', (_, offsets) => {
    const { watch, listen } = watchOf(false);
    listen(offsets);
    expect(watch.trust()).toBe('agreed');
  });

  it('is not moved by replicas that one service makes up', () => {
    const { watch, hear } = watchOf(false);
    hear({ directory: 0, audit: 0, issuance: 0 });
    for (let i = 0; i < 1000; i += 1) hear({ subjects: hour }, 0, `madeup${String(i).padStart(6, '0')}`);
    expect(watch.trust()).toBe('agreed');
  });

  it('is not ahead by what waited for it while it stood still, and behind by the first word', () => {
    const { watch, hear, listen } = watchOf(false);
    listen({ directory: 0, audit: 0, issuance: 0 });
    monotonicMs += 40_000;
    for (let ago = 40_000; ago > 30_000; ago -= 250) hear({ directory: 0, audit: 0, issuance: 0 }, ago);
    expect(watch.trust()).toBe('agreed');
    monotonicMs += 10_000;
    aheadMs = -hour;
    hear({ directory: 0, audit: 0, issuance: 0 });
    expect(watch.trust()).toBe('wrong');
  });

  it('takes the quickest word of the last five seconds, so one that was long on its way says nothing', () => {
    const { watch, hear } = watchOf(false);
    hear({ directory: 0, audit: 0 });
    monotonicMs += 4000;
    hear({ directory: 0, audit: 0 }, 40_000);
    expect(watch.trust()).toBe('agreed');
    aheadMs = -hour;
    expect(watch.trust()).toBe('wrong');
    // Who was silent for long has no say.
    monotonicMs += 6000;
    expect(watch.trust()).toBe('agreed');
  });
});

it('says when it begins, once a minute, and when it is over', () => {
  const lines: { level: number; msg: string }[] = [];
  const { watch, readDatabase } = watchOf(true);
  const logger = createLogger('test', 'info', '1', {
    write: (line: string) => void lines.push(JSON.parse(line) as (typeof lines)[0]),
  });
  const look = () => watch.report(logger);
  readDatabase();
  look();
  aheadMs = hour;
  for (let i = 0; i < 90; i += 1) {
    monotonicMs += 1000;
    look();
  }
  aheadMs = 0;
  look();
  expect(lines.map(({ msg }) => msg)).toEqual([
    expect.stringContaining(
      "the clock of this machine is 3600.0 s ahead of PostgreSQL's. It is not ready until they agree",
    ),
    expect.stringContaining('3600.0 s ahead'),
    'the clock of this machine agrees with the others again',
  ]);
});

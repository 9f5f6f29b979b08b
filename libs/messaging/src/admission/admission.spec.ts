import { expect, test } from '@jest/globals';
import { TransitTimes } from '../requests/transit.js';
import { Admission, wasNotStarted } from './admission.js';

/** Work that ends when `end` is called. */
function pendingWork() {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  return { end, work: () => ended };
}
const turn = () => new Promise((resolve) => setImmediate(resolve));
const causeOf = (request: Promise<unknown>) =>
  request.then(
    () => 'done',
    (error: { origin: { cause: string } }) => error.origin.cause,
  );

test('rejects requests at once beyond the limits, and handles the others', async () => {
  const admission = new Admission('issuance', { maxRunning: 2, maxQueued: 1, maxWaitMs: 1000 });
  const jobs = [pendingWork(), pendingWork(), pendingWork()];
  const running = jobs.map(({ work }) => causeOf(admission.run(undefined, work)));
  expect(await causeOf(admission.run(undefined, () => Promise.resolve()))).toBe('overloaded');
  jobs.forEach(({ end }) => end());
  expect(await Promise.all(running)).toEqual(['done', 'done', 'done']);
  expect(await causeOf(admission.run(undefined, () => Promise.resolve()))).toBe('done');
});

test('does not handle requests that have expired, before or while they waited', async () => {
  let now = 0;
  const begun: string[] = [];
  const admission = new Admission('issuance', { maxRunning: 1, maxQueued: 10, maxWaitMs: 1000 }, () => now);
  const first = pendingWork();
  const running = admission.run(500, first.work);
  const work = (name: string) => () => Promise.resolve(void begun.push(name));
  const waiting = [causeOf(admission.run(100, work('expires'))), causeOf(admission.run(5000, work('in time')))];
  now = 200;
  expect(await causeOf(admission.run(200, work('too late')))).toBe('expired');
  first.end();
  await running;
  expect([await Promise.all(waiting), begun]).toEqual([['expired', 'done'], ['in time']]);
});

test('rejects a request that has waited too long', async () => {
  let now = 0;
  const admission = new Admission('issuance', { maxRunning: 1, maxQueued: 10, maxWaitMs: 250 }, () => now);
  const first = pendingWork();
  const running = admission.run(undefined, first.work);
  const waiting = causeOf(admission.run(undefined, () => Promise.resolve()));
  now = 300;
  first.end();
  await running;
  expect(await waiting).toBe('overloaded');
});

test('accepts further requests after failures', async () => {
  const admission = new Admission('issuance', { maxRunning: 1, maxQueued: 0, maxWaitMs: 250 });
  for (let i = 0; i < 5; i += 1)
    await expect(admission.run(undefined, () => Promise.reject(new Error('fails')))).rejects.toThrow('fails');
});

test('completes as much as its capacity, within a second, at five times that load', async () => {
  // In simulated time: the service handles 100 concurrent requests in 100 ms each, and callers wait for two seconds.
  let now = 0;
  const ends: { at: number; end: () => void }[] = [];
  const admission = new Admission('issuance', { maxRunning: 100, maxQueued: 100, maxWaitMs: 250 }, () => now);
  const took: number[] = [];
  let rejected = 0;
  for (now = 0; now < 2000; now += 20) {
    for (let i = 0; i < 100; i += 1) {
      const began = now;
      void admission
        .run(now + 2000, () => new Promise<void>((end) => ends.push({ at: now + 100, end })))
        .then(
          () => took.push(now - began),
          () => (rejected += 1),
        );
    }
    await turn();
    for (let i = ends.length - 1; i >= 0; i -= 1) if (ends[i]!.at <= now) ends.splice(i, 1)[0]!.end();
    await turn();
  }
  expect(took.length).toBeGreaterThan(0.8 * 2000);
  expect(Math.max(...took)).toBeLessThan(1000);
  expect(rejected).toBeGreaterThan(6000);
});

test('wasNotStarted() is true only for the admission limits of the caller and of the called service', () => {
  const of = (dependency: string) => wasNotStarted({ origin: { dependency, cause: 'overloaded' } } as never);
  expect([of('admission'), of('issuance/admission'), of('issuance/directory/admission'), of('issuance')]).toEqual([
    true,
    true,
    false,
    false,
  ]);
});

test('a request expires after waiting for seconds, and not because a clock is eleven minutes wrong', () => {
  let now = 1_000_000;
  const times = new TransitTimes(() => now);
  const behind = 11 * 60_000;
  const sent = (agoMs: number) => ({ sender: 'a', sentAtMs: now - agoMs - behind, timeoutMs: 2000 });
  expect(times.remainingMs(sent(1))).toBe(2000);
  expect(times.remainingMs(sent(51))).toBe(1950);
  expect(times.remainingMs(sent(3001))).toBe(-1000);
  now += 70_000;
  expect(times.remainingMs(sent(3001))).toBe(-1000);
});

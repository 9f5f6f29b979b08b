import { expect, test } from '@jest/globals';
import { StoreWatch } from './store-watch.ts';

const gibibyte = 1_073_741_824;
const closed = ['JetStream does not store in ISSUANCE for 9 s: no answer'];

/** When nats-server is restarted, in seconds, with a decision every 5 s. */
function restarts(
  watch: StoreWatch,
  remarks: string[],
  seconds: number,
  { freeBytes = gibibyte, from = 0 } = {},
): number[] {
  const at: number[] = [];
  for (let now = from; now < from + seconds; now += 5)
    if (watch.decide({ nowMs: now * 1000, remarks, freeBytes })) at.push(now);
  return at;
}

test('restarts nats-server that has not stored for 20 s despite free space, three times at most', () => {
  const watch = new StoreWatch();
  expect(restarts(watch, closed, 1200)).toEqual([20, 80, 200]);
  expect(watch.gaveUp).toBe(true);
});

test('does not restart nats-server while its disk is full, but 20 s after there is space', () => {
  const watch = new StoreWatch();
  expect(restarts(watch, closed, 600, { freeBytes: 1_000_000 })).toEqual([]);
  expect(restarts(watch, closed, 30, { from: 600 })).toEqual([620]);
});

test.each([
  [['JetStream does not store in PROBE for 9 s: insufficient resources (10023)']],
  [['JetStream does not store in PROBE for 9 s: no stream takes the message; run holdfast bus declare']],
  [['the audit log of acme is broken']],
  [[]],
])('does not restart nats-server when the remarks of services are %j', (remarks) => {
  expect(restarts(new StoreWatch(), remarks, 600)).toEqual([]);
});

test('does not restart nats-server that stores again within 20 s, and resets after ten minutes without failure', () => {
  const watch = new StoreWatch();
  for (let round = 0; round < 5; round += 1) {
    expect(restarts(watch, closed, 20, { from: round * 100 })).toEqual([]);
    expect(restarts(watch, [], 80, { from: round * 100 + 20 })).toEqual([]);
  }
  expect(restarts(watch, closed, 600, { from: 500 })).toEqual([520, 580, 700]);
  expect(restarts(watch, [], 605, { from: 1100 })).toEqual([]);
  expect(restarts(watch, closed, 30, { from: 1705 })).toEqual([1725]);
});

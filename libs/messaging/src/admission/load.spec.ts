import { describe, expect, it } from '@jest/globals';
import { Admission } from './admission.js';
import { Load, loadOf } from './load.js';

let now = 0;
const newLoad = () => {
  now = 0;
  return new Load(() => now);
};

describe('the load of a process', () => {
  it('is 0 without requests', () => expect(newLoad().ratio).toBe(0));

  it('is the highest share of its limits within 30 seconds', () => {
    const load = newLoad();
    for (const [atMs, share] of [
      [0, 0.2],
      [500, 0.9],
      [20_000, 0.4],
    ] as const) {
      now = atMs;
      load.accept(share);
    }
    expect(load.ratio).toBe(0.9);
    now = 29_999;
    expect(load.ratio).toBe(0.9);
    now = 30_000;
    expect(load.ratio).toBe(0.4);
    now = 50_000;
    expect(load.ratio).toBe(0);
  });

  it('is above 1 by the rejected part, however little of a limit is in use', () => {
    const load = newLoad();
    load.accept(0.1);
    for (let i = 0; i < 3; i += 1) load.reject();
    expect(load.ratio).toBe(1.75);
    now = 1000;
    load.accept(0.3);
    expect(load.ratio).toBe(1.75);
    now = 30_000;
    expect(load.ratio).toBe(0.3);
  });

  it('counts a second apart from the one 30 seconds before', () => {
    const load = newLoad();
    load.reject();
    now = 30_000;
    load.accept(0.5);
    expect(load.ratio).toBe(0.5);
  });
});

it('counts running and waiting requests of a service, and those that it rejects', async () => {
  const admission = new Admission('signals', { maxRunning: 2, maxQueued: 2, maxWaitMs: 60_000 });
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const requests = [1, 2, 3].map(() => admission.run(undefined, () => ended));
  expect(loadOf('signals').ratio).toBe(0.75);
  requests.push(admission.run(undefined, () => ended));
  expect(loadOf('signals').ratio).toBe(1);
  await expect(admission.run(undefined, () => ended)).rejects.toMatchObject({ code: 'unavailable' });
  expect(loadOf('signals').ratio).toBeGreaterThan(1);
  end();
  await Promise.all(requests);
});

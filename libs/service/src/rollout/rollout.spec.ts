import { describe, expect, test } from '@jest/globals';
import { waitForRollout } from './rollout.js';

/** Plays states of the names, one for each look, and counts the pauses. */
function play(states: { all: string[]; latest: string[] }[], timeoutMs = 60_000) {
  let pauses = 0;
  const state = () => states[Math.min(pauses, states.length - 1)]!;
  const outcome = waitForRollout(
    { all: 'directory-all', latest: 'directory-new', timeoutMs },
    (name) => Promise.resolve(name === 'directory-all' ? state().all : state().latest),
    () => Promise.resolve((pauses += 1)),
    () => pauses * 1000,
  );
  return outcome.then((text) => ({ text, pauses }));
}

describe('the wait for a rollout', () => {
  test('ends at once when no replica runs, as at the first installation', async () => {
    expect(await play([{ all: [], latest: [] }])).toMatchObject({ pauses: 0 });
  });

  test('ends at once when all replicas are of the latest version', async () => {
    expect(await play([{ all: ['10.0.0.1', 'fd00::1'], latest: ['10.0.0.1', 'fd00::1'] }])).toMatchObject({
      pauses: 0,
    });
  });

  test('lasts until the last replica of another version is gone', async () => {
    const states = [
      { all: ['10.0.0.1', '10.0.0.2'], latest: [] },
      { all: ['10.0.0.1', '10.0.0.3'], latest: ['10.0.0.3'] },
      { all: ['10.0.0.3', '10.0.0.4'], latest: ['10.0.0.3', '10.0.0.4'] },
    ];
    expect(await play(states)).toMatchObject({ pauses: 2 });
  });

  test('ends when the time is up, and says so', async () => {
    expect(await play([{ all: ['10.0.0.1'], latest: [] }], 5000)).toEqual({
      pauses: 5,
      text: 'directory-all: 1 of another version after 5 s; starting anyway',
    });
  });
});

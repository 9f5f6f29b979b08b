import { expect, it } from '@jest/globals';
import type { FenceLevel } from '@holdfast/contracts';
import { FencedOrganizations, fencesKnownWithinMs } from './fenced-organizations.js';

function fencesWith(rows: { org: string; refuses: FenceLevel }[]) {
  const state = { rows, nowMs: 0, reads: 0 };
  const read = () => {
    state.reads += 1;
    return Promise.resolve([...state.rows]);
  };
  return { state, fences: new FencedOrganizations(read, () => state.nowMs) };
}

it('answers from what was read a moment ago', async () => {
  const { state, fences } = fencesWith([{ org: 'acme', refuses: 'requests' }]);
  expect(await fences.levelOf('acme')).toBe('requests');
  state.rows = [];
  state.nowMs += fencesKnownWithinMs;
  expect(await fences.levelOf('acme')).toBe('requests');
  expect(await fences.levelOf('globex')).toBeUndefined();
  expect(state.reads).toBe(1);
});

it('reads again before it answers when the process was paused for longer', async () => {
  const { state, fences } = fencesWith([]);
  expect(await fences.levelOf('acme')).toBeUndefined();
  state.rows = [{ org: 'acme', refuses: 'everything' }];
  state.nowMs += fencesKnownWithinMs + 1;
  expect(await fences.levelOf('acme')).toBe('everything');
});

it('reads again when a reading that began long ago answers late', async () => {
  let nowMs = 0;
  const late = Promise.withResolvers<{ org: string; refuses: FenceLevel }[]>();
  const answers = [late.promise, Promise.resolve([{ org: 'acme', refuses: 'everything' as const }])];
  const fences = new FencedOrganizations(
    () => answers.shift()!,
    () => nowMs,
  );
  const level = fences.levelOf('acme');
  nowMs = fencesKnownWithinMs + 1;
  late.resolve([]);
  expect(await level).toBe('everything');
});

it('answers nothing when the database cannot be read', async () => {
  const fences = new FencedOrganizations(() => Promise.reject(new Error('the database is down')));
  await expect(fences.levelOf('acme')).rejects.toThrow('the database is down');
});

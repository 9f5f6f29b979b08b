import { readdirSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { beforeEach, expect, test } from '@jest/globals';
import { systemClock } from '@holdfast/platform';
import { newTestFolder } from '@holdfast/testing';
import { CheckpointFiles } from './checkpoint-files.js';

let CHECKPOINT_DIR: string;
const replica = () => new CheckpointFiles({ CHECKPOINT_DIR }, systemClock);
const noteOf = (org: string, size: number) =>
  `id.example/o/${org}/audit\n${size}\n${Buffer.alloc(32, size).toString('base64')}\n\n— key ${'A'.repeat(92)}\n`;
const checkpoints = (sizes: Record<string, number>) =>
  new Map(Object.entries(sizes).map(([org, size]) => [org, { size, note: noteOf(org, size) }]));
const sizesOf = async (files: CheckpointFiles, ...orgs: string[]) =>
  Object.fromEntries([...(await files.newestOf(orgs))].map(([org, { size }]) => [org, size]));
const filesOf = (kind: string) => readdirSync(CHECKPOINT_DIR).filter((name) => name.endsWith(`.${kind}.ndjson`));

beforeEach(() => {
  CHECKPOINT_DIR = newTestFolder('checkpoint-files');
});

test('a checkpoint is found by other replicas that share the folder, and after a restart', async () => {
  const [one, other] = [replica(), replica()];
  await one.store(checkpoints({ acme: 1, globex: 5 }));
  expect(await sizesOf(other, 'acme', 'globex', 'nobody')).toEqual({ acme: 1, globex: 5 });
  await other.store(checkpoints({ acme: 2 }));
  expect(await sizesOf(one, 'acme', 'globex')).toEqual({ acme: 2, globex: 5 });
  expect(await sizesOf(replica(), 'acme', 'globex')).toEqual({ acme: 2, globex: 5 });
});

test('files are merged when there are many, and no replica loses a checkpoint', async () => {
  const [one, other] = [replica(), replica()];
  await one.store(checkpoints({ idle: 7, acme: 1 }));
  // Each replica merges more than 64 files that it knows of: one has deleted merged files, the other merged once.
  for (let size = 2; size <= 240; size += 1) await (size % 3 === 0 ? other : one).store(checkpoints({ acme: size }));
  expect(filesOf('newest').length).toBeLessThan(200);
  for (const files of [one, other, replica()])
    expect(await sizesOf(files, 'idle', 'acme')).toEqual({ idle: 7, acme: 240 });
});

test('the first checkpoint of a day stays, and a restart adds no second one', async () => {
  await replica().store(checkpoints({ acme: 1 }));
  const restarted = replica();
  await restarted.store(checkpoints({ acme: 2 }));
  await restarted.store(checkpoints({ acme: 3 }));
  expect(filesOf('first')).toHaveLength(1);
});

test('what was removed from the folder does not count any more, and what it had replaced does', async () => {
  const files = replica();
  await files.store(checkpoints({ acme: 1 }));
  const [first] = filesOf('newest');
  await files.store(checkpoints({ acme: 2 }));
  rmSync(
    join(
      CHECKPOINT_DIR,
      filesOf('newest').find((name) => name !== first)!,
    ),
  );
  expect(await sizesOf(files, 'acme')).toEqual({ acme: 1 });
});

test.each([
  ['ends within a line', '{"org":"acme","note":"x"}'],
  ['contains something else', 'nonsense\n'],
])('nothing is returned while a file %s', async (_, text) => {
  const files = replica();
  await files.store(checkpoints({ acme: 1 }));
  writeFileSync(join(CHECKPOINT_DIR, 'damaged.newest.ndjson'), text);
  await expect(files.newestOf(['acme'])).rejects.toMatchObject({ code: 'unavailable' });
  rmSync(join(CHECKPOINT_DIR, 'damaged.newest.ndjson'));
  expect(await sizesOf(files, 'acme')).toEqual({ acme: 1 });
});

test('a checkpoint that cannot be read is not replaced by one that can', async () => {
  const files = replica();
  await files.store(new Map([['acme', { size: Infinity, note: 'nonsense' }]]));
  await files.store(checkpoints({ acme: 2 }));
  expect((await replica().newestOf(['acme'])).get('acme')?.note).toBe('nonsense');
});

test('the whole folder may be moved aside while it runs', async () => {
  const files = replica();
  await files.store(checkpoints({ acme: 3 }));
  renameSync(CHECKPOINT_DIR, `${CHECKPOINT_DIR}-aside`);
  expect(await sizesOf(files, 'acme')).toEqual({});
  await files.store(checkpoints({ acme: 1 }));
  expect(await sizesOf(replica(), 'acme')).toEqual({ acme: 1 });
});

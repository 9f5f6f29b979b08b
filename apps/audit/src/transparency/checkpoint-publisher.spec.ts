import { beforeEach, expect, test } from '@jest/globals';
import { Logger } from '@nestjs/common';
import type { Database, Statement } from '@holdfast/data';
import { Readiness } from '@holdfast/service';
import { GrownLogs } from '../append/changed-logs.js';
import { BrokenLogs } from './broken-logs.js';
import { CheckpointPublisher, selectUnsignedOf } from './checkpoint-publisher.js';
import type { Checkpoints } from './checkpoints.js';

Logger.overrideLogger(false);

let grownLogs: GrownLogs;
let unsigned: Set<string>;
let error: Error | undefined;
let publisher: CheckpointPublisher;

beforeEach(() => {
  [grownLogs, unsigned, error] = [new GrownLogs(), new Set(), undefined];
  const rows = ({ name }: Statement, [orgs]: [string[]?] = []) =>
    Promise.resolve(
      [...unsigned].filter((org) => name !== selectUnsignedOf.name || orgs!.includes(org)).map((org) => ({ org })),
    );
  const newest = (org: string) => (error ? Promise.reject(error) : Promise.resolve(unsigned.delete(org)));
  publisher = new CheckpointPublisher(
    { rows } as unknown as Database,
    { newest } as unknown as Checkpoints,
    new BrokenLogs(new Readiness()),
    grownLogs,
  );
});
const publish = () => publisher.publish(() => false);

test('the first run signs what another replica has left, the next ones what has grown here', async () => {
  unsigned.add('left');
  await publish();
  expect(unsigned).toEqual(new Set());
  unsigned.add('grown').add('elsewhere');
  grownLogs.add(['grown']);
  await publish();
  expect(unsigned).toEqual(new Set(['elsewhere']));
});

test.each([
  ['the database is unavailable', Object.assign(new Error('ended'), { code: '57P01' })],
  ['a log cannot be signed', new Error('no hash')],
])('logs that have grown are signed later when %s', async (_, given) => {
  await publish();
  unsigned.add('acme').add('globex');
  grownLogs.add(unsigned);
  error = given;
  await publish().catch(() => undefined);
  error = undefined;
  expect(unsigned.size).toBe(2);
  // As if the time until the next attempt had passed.
  Object.assign(publisher, { nextRetryAt: 0 });
  await publish();
  expect(unsigned).toEqual(new Set());
});

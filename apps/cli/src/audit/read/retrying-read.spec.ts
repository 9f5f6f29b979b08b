import { describe, expect, test } from '@jest/globals';
import { AppError, unavailable } from '@holdfast/platform';
import { checkpointOf, logOf, newSigner } from '@holdfast/testing/exported-log';
import { CommandError, TransientCommandError } from '../../command-error.js';
import { LiveLog, verifyLive, type Page, type ReadPage } from './live-log.js';
import { retrying } from './retrying-read.js';

const signer = newSigner();
const entries = logOf(40);
const checkpoint = checkpointOf(entries, signer);
const fastRetries = { timeoutMs: 2000, firstDelayMs: 1 };

/** Fails with the given errors before the page after a sequence number, and records the requested pages. */
function interrupted(failures: Record<number, Error[]>): { read: ReadPage; requested: number[] } {
  const requested: number[] = [];
  const read = (after: number): Promise<Page> => {
    requested.push(after);
    const failure = failures[after]?.shift();
    return failure === undefined
      ? Promise.resolve({ entries: entries.slice(after, after + 10), checkpoint, hasMore: after < 30, lateMs: 0 })
      : Promise.reject(failure);
  };
  return { read, requested };
}

describe('retrying', () => {
  test('requests the failed page again after a transient error', async () => {
    const { read, requested } = interrupted({
      10: [unavailable('audit did not answer in time', 0), new TransientCommandError('503')],
      30: [unavailable('audit is not running', 0)],
    });
    expect(
      await verifyLive(await LiveLog.open(retrying(read, fastRetries), () => undefined), [signer.key], []),
    ).toMatchObject({ verified: true, entries: 40 });
    expect(requested).toEqual([0, 10, 10, 10, 20, 30, 30]);
  });

  test.each<[string, Error]>([
    ['a command error', new CommandError('403')],
    ['an error of another kind', new AppError('unknown_organization')],
  ])('throws without a retry on %s', async (_, failure) => {
    const { read, requested } = interrupted({ 10: [failure] });
    await expect(
      verifyLive(await LiveLog.open(retrying(read, fastRetries), () => undefined), [signer.key], []),
    ).rejects.toBe(failure);
    expect(requested).toEqual([0, 10]);
  });

  test('throws when the first page fails, or after the timeout', async () => {
    const failure = new TransientCommandError('unavailable');
    await expect(retrying(interrupted({ 0: [failure] }).read, fastRetries)(0)).rejects.toBe(failure);
    await expect(
      retrying(interrupted({ 10: Array.from({ length: 100 }, () => failure) }).read, {
        timeoutMs: 20,
        firstDelayMs: 1,
      })(10),
    ).rejects.toBe(failure);
    await expect(
      retrying(interrupted({ 10: [new TransientCommandError('come back later', 60_000)] }).read, fastRetries)(10),
    ).rejects.toThrow('come back later');
  });
});

test('pages are requested before the previous one is processed', async () => {
  const { read, requested } = interrupted({});
  const log = await LiveLog.open(read, () => undefined);
  const pages = log.pages({ awaitsDropRecord: () => false });
  await pages.next();
  expect(requested).toEqual([0, 10]);
});

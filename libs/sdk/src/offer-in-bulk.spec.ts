import { expect, it } from '@jest/globals';
import type { Holdfast } from './holdfast-client.js';
import { offerInBulk } from './offer-in-bulk.js';

/** A stand-in for the API: the same key gets the same offer. */
function api(failAt = Infinity) {
  const offers = new Map<string, { subject: string }>();
  let [calls, inFlight, mostInFlight] = [0, 0, 0];
  const createOffer = async ({ idempotencyKey: key = '' }: { idempotencyKey?: string } = {}) => {
    mostInFlight = Math.max(mostInFlight, (inFlight += 1));
    await new Promise((resolve) => setTimeout(resolve, 1));
    inFlight -= 1;
    if ((calls += 1) === failAt) throw new Error('Holdfast is unavailable');
    if (!offers.has(key)) offers.set(key, { subject: `s${offers.size}` });
    return offers.get(key)!;
  };
  return { holdfast: { createOffer } as unknown as Holdfast, offers, mostInFlight: () => mostInFlight };
}

const ids = (count: number) => Array.from({ length: count }, (_, i) => ({ id: `account ${i}` }));

it('makes one offer for each account, with no more in flight than it may', async () => {
  const { holdfast, offers, mostInFlight } = api();
  const saved = new Map<string, string>();
  async function* accounts() {
    yield* ids(100);
  }
  const save = ({ id }: { id: string }, { subject }: { subject: string }) => void saved.set(id, subject);
  expect(await offerInBulk(holdfast, accounts(), { save, concurrency: 7 })).toBe(100);
  expect(saved.size).toBe(100);
  expect(new Set(saved.values()).size).toBe(100);
  expect([...offers.keys()].filter((key) => !/^bulk-[0-9a-f]{64}$/.test(key))).toEqual([]);
  expect(mostInFlight()).toBe(7);
});

it('saves what is in flight before it throws, and gets the same offers when it is called again', async () => {
  const { holdfast, offers } = api(50);
  const saved = new Map<string, string>();
  let unsaved = 0;
  const run = () =>
    offerInBulk(
      holdfast,
      ids(100).filter(({ id }) => !saved.has(id)),
      {
        save: ({ id }, { subject }) => {
          // The process ends between an offer and its place in the database.
          if (saved.size === 20 && unsaved++ === 0) throw new Error('the database is unavailable');
          saved.set(id, subject);
        },
      },
    );
  await expect(run()).rejects.toThrow('the database is unavailable');
  expect(saved.size).toBeGreaterThan(20);
  await expect(run()).rejects.toThrow('Holdfast is unavailable');
  await run();
  expect(saved.size).toBe(100);
  expect(offers.size).toBe(100);
});

it('begins no further offers once its signal is aborted', async () => {
  const { holdfast } = api();
  const ending = new AbortController();
  const save = () => ending.abort();
  expect(await offerInBulk(holdfast, ids(100), { save, concurrency: 4, signal: ending.signal })).toBeLessThanOrEqual(8);
});

import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createOffer } from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import { TestCustomers } from './customers.fixture.js';
import { IssuanceStack } from './issuance-stack.fixture.js';

const minuteMs = 60_000;
let stack: IssuanceStack;
let customers: TestCustomers;
let aheadMs = 0;

beforeAll(async () => {
  stack = await IssuanceStack.start({ machineTimeMs: () => Date.now() + aheadMs });
  customers = new TestCustomers(stack);
});
afterAll(() => stack?.stop());
afterEach(() => {
  aheadMs = 0;
});

const ready = async () => {
  const response = await fetch(`http://127.0.0.1:${stack.opsPorts[0]!}/readyz`);
  return { status: response.status, text: await response.text() };
};
const metrics = async () => (await fetch(`http://127.0.0.1:${stack.opsPorts[0]!}/metrics`)).text();
const stateOf = async (token: string) => (await customers.getClaim(token)).state;
const expirationsOf = (subject: string) => customers.eventsOf(subject).filter(({ type }) => type === 'offer.expired');
/** The expiration worker does not run while the clock is wrong. This job does, at the same interval. */
const otherJobRuns = () => stack.moreRunsOf('erasure_confirmations', 3);

test('a clock that is an hour ahead is reported, expires no live offer, and dates new ones correctly', async () => {
  const live = await customers.offer({ offerExpiresIn: 1800 });
  aheadMs = 60 * minuteMs;
  await eventually(async () =>
    expect(await ready()).toEqual({
      status: 503,
      text: expect.stringMatching(/^not ready\nthe clock of this machine is 3600\.\d s ahead of PostgreSQL's\n/),
    }),
  );
  await eventually(async () =>
    expect(await metrics()).toMatch(/holdfast_clock_offset_seconds\{reference="postgres"\} 3(599|600)/),
  );
  expect(stack.lines.filter((line) => line.includes('ahead of PostgreSQL'))).toHaveLength(1);
  await otherJobRuns();
  expect(expirationsOf(live.subject)).toEqual([]);
  expect(await stateOf(live.token)).toBe('open');

  const made = await customers.offer({ offerExpiresIn: 1800 });
  const [{ expires_at: expiresAt } = { expires_at: new Date(0) }] = await stack.database.query<{ expires_at: Date }>(
    'SELECT expires_at FROM issuance.offer WHERE id = $1',
    [made.offerId],
  );
  expect(Math.abs(expiresAt.getTime() - Date.now() - 30 * minuteMs)).toBeLessThan(5 * minuteMs);
});

test('a response under an Idempotency-Key is stored for its day, also while the clock is a day ahead', async () => {
  const idempotencyKey = 'a key that is used again';
  const send = () => stack.gateway.request(createOffer, { offer: {}, idempotencyKey }, testContext());
  const first = await send();
  aheadMs = 25 * 60 * minuteMs;
  expect((await send()).offer.offerId).toBe(first.offer.offerId);
});

test('the expiration of a due offer is emitted when the clock is right again', async () => {
  const due = await customers.offer({ offerExpiresIn: 1800 });
  aheadMs = 60 * minuteMs;
  await stack.database.query(`UPDATE issuance.offer SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    due.offerId,
  ]);
  await otherJobRuns();
  expect(expirationsOf(due.subject)).toEqual([]);
  // Decisions continue, by PostgreSQL's clock.
  expect(await stateOf(due.token)).toBe('expired');
  aheadMs = 0;
  await eventually(() => expect(expirationsOf(due.subject)).toHaveLength(1));
  expect((await ready()).status).toBe(200);
});

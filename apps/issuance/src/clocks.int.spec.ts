import { afterAll, afterEach, beforeAll, expect, test } from '@jest/globals';
import { createOffer, getClaim } from '@holdfast/contracts';
import { eventually, testContext } from '@holdfast/testing';
import { TestCustomers } from './customers.fixture.js';
import { IssuanceStack } from './issuance-stack.fixture.js';

const minute = 60_000;
let stack: IssuanceStack;
let customers: TestCustomers;
let aheadMs = 0;

beforeAll(async () => {
  stack = await IssuanceStack.start({}, undefined, 1, () => Date.now() + aheadMs);
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
const stateOf = async (token: string) =>
  (await stack.gateway.request(getClaim, { token }, testContext({ actor: { type: 'anonymous', id: 'anonymous' } })))
    .state;
const expirationsOf = (subject: string) => customers.eventsOf(subject).filter(({ type }) => type === 'offer.expired');
/** Two rounds of the worker that emits expirations: that nothing comes can only be seen by waiting. */
const rounds = () => new Promise((resolve) => setTimeout(resolve, 2500));

test('a clock that is an hour ahead expires no live offer, dates nothing wrongly, and is seen', async () => {
  const live = await customers.offer({ offerExpiresIn: 1800 });
  aheadMs = 60 * minute;
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
  await rounds();
  expect(expirationsOf(live.subject)).toEqual([]);
  expect(await stateOf(live.token)).toBe('open');

  const made = await customers.offer({ offerExpiresIn: 1800 });
  const [{ expires_at: expiresAt } = { expires_at: new Date(0) }] = await stack.database.query<{ expires_at: Date }>(
    'SELECT expires_at FROM issuance.offer WHERE id = $1',
    [made.offerId],
  );
  expect(Math.abs(expiresAt.getTime() - Date.now() - 30 * minute)).toBeLessThan(5 * minute);
});

test('an answer under an Idempotency-Key is kept for its day', async () => {
  const idempotencyKey = 'a key that is used again';
  const ask = () => stack.gateway.request(createOffer, { offer: {}, idempotencyKey }, testContext());
  const first = await ask();
  aheadMs = 25 * 60 * minute;
  expect((await ask()).offer.offerId).toBe(first.offer.offerId);
});

test('an offer that is due waits while the clock is wrong and expires once it is right', async () => {
  const due = await customers.offer({ offerExpiresIn: 1800 });
  aheadMs = 60 * minute;
  await stack.database.query(`UPDATE issuance.offer SET expires_at = now() - interval '1 second' WHERE id = $1`, [
    due.offerId,
  ]);
  await rounds();
  expect(expirationsOf(due.subject)).toEqual([]);
  // Deciding goes on, by PostgreSQL's time.
  expect(await stateOf(due.token)).toBe('expired');
  aheadMs = 0;
  await eventually(() => expect(expirationsOf(due.subject)).toHaveLength(1), 10_000);
  expect((await ready()).status).toBe(200);
});

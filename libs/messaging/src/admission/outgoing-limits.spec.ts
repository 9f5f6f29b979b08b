import { expect, test } from '@jest/globals';
import {
  appendRecords,
  createOffer,
  followAuditEvents,
  getSubject,
  listAuditEvents,
  listAuditExports,
  listSubjects,
  withdrawOffer,
  type Contract,
  type RequestContext,
} from '@holdfast/contracts';
import type { AppError } from '@holdfast/platform';
import { testContext } from '@holdfast/testing';
import { systemContext } from '../requests/system-context.js';
import { wasNotStarted } from './admission.js';
import { OutgoingLimits } from './outgoing-limits.js';

/** Sends requests that end when `end` is called. */
function pendingRequests(limits: OutgoingLimits) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const send = (contract: Contract, context: RequestContext = testContext()) =>
    limits
      .run(contract, context, () => ended)
      .then(
        () => 'sent',
        (error: AppError) => (wasNotStarted(error) ? 'rejected' : 'failed'),
      );
  return { end, send };
}

test('rejects requests beyond the limit of one service or of all, and sends others and later ones', async () => {
  const limits = new OutgoingLimits({ max: 3, maxPerService: 2 });
  const { send, end } = pendingRequests(limits);
  const running = [send(createOffer), send(withdrawOffer), send(getSubject)];
  const rejected = [send(createOffer), send(listSubjects)];
  expect(await Promise.all(rejected)).toEqual(['rejected', 'rejected']);
  // Exempt contracts, and requests that a service sends for itself.
  running.push(send(appendRecords), send(getSubject, systemContext('gateway')));
  end();
  expect(await Promise.all(running)).toEqual(Array(5).fill('sent'));
  expect(await send(createOffer)).toBe('sent');
});

test('sends further requests after failures', async () => {
  const limits = new OutgoingLimits({ max: 1, maxPerService: 1 });
  const fail = () => limits.run(createOffer, testContext(), () => Promise.reject(new Error('failed')));
  for (let i = 0; i < 3; i += 1) await expect(fail()).rejects.toThrow('failed');
});

test('says of a route that its limit is reached from a rejected request until one has ended', async () => {
  const limits = new OutgoingLimits({ max: 3, maxPerService: 1 });
  const { send, end } = pendingRequests(limits);
  const context = testContext();
  const route = `${context.request.method} ${context.request.route}`;
  const running = send(createOffer);
  // No request of the route was rejected, so nothing is known of what it calls.
  expect(limits.isReached(route)).toBe(false);
  expect(await send(createOffer)).toBe('rejected');
  expect([limits.isReached(route), limits.isReached('GET /other')]).toEqual([true, false]);
  end();
  await running;
  expect(limits.isReached(route)).toBe(false);
});

test('refuses requests that are divided by organization beyond a quarter of the limit for each', async () => {
  const limits = new OutgoingLimits({ max: 100, maxPerService: 8 });
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const send = (contract: Contract, org: string) =>
    limits
      .run(contract, testContext({ org }), () => ended)
      .then(
        () => 'sent',
        ({ code, retryAfter }: AppError) => `${code} ${retryAfter}`,
      );
  const running = [send(listAuditEvents, 'acme'), send(followAuditEvents, 'acme')];
  expect(await send(listAuditEvents, 'acme')).toBe('rate_limited 1');
  // Other organizations, and requests to the same service that are not divided.
  running.push(send(listAuditEvents, 'globex'), send(listAuditExports, 'acme'), send(appendRecords, 'acme'));
  end();
  expect(await Promise.all(running)).toEqual(Array(5).fill('sent'));
  expect(await send(listAuditEvents, 'acme')).toBe('sent');
});

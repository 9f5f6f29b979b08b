import { expect, test } from '@jest/globals';
import {
  appendRecords,
  createOffer,
  getSubject,
  listSubjects,
  withdrawOffer,
  type Contract,
  type RequestContext,
} from '@holdfast/contracts';
import type { AppError } from '@holdfast/platform';
import { testContext } from '@holdfast/testing';
import { wasNotStarted } from './admission.js';
import { OutgoingLimits } from './outgoing-limits.js';
import { systemContext } from './system-context.js';

/** Asks that are not answered before `end`. */
function asking(limits: OutgoingLimits) {
  let end!: () => void;
  const ended = new Promise<void>((resolve) => (end = resolve));
  const ask = (contract: Contract, context: RequestContext = testContext()) =>
    limits
      .run(contract, context, () => ended)
      .then(
        () => 'answered',
        (error: AppError) => (wasNotStarted(error) ? 'refused' : 'failed'),
      );
  return { end, ask };
}

test('refuses what exceeds the limit of one service or of all, with nothing sent, and takes others and later ones', async () => {
  const limits = new OutgoingLimits({ max: 3, maxPerService: 2 });
  const { ask, end } = asking(limits);
  const running = [ask(createOffer), ask(withdrawOffer), ask(getSubject)];
  const refused = [ask(createOffer), ask(listSubjects)];
  expect(await Promise.all(refused)).toEqual(['refused', 'refused']);
  // What was done must be recorded, and what a gateway needs itself is no caller's.
  running.push(ask(appendRecords), ask(getSubject, systemContext('gateway')));
  end();
  expect(await Promise.all(running)).toEqual(Array(5).fill('answered'));
  expect(await ask(createOffer)).toBe('answered');
});

test('gives a place back when a request fails', async () => {
  const limits = new OutgoingLimits({ max: 1, maxPerService: 1 });
  const fail = () => limits.run(createOffer, testContext(), () => Promise.reject(new Error('away')));
  for (let i = 0; i < 3; i += 1) await expect(fail()).rejects.toThrow('away');
});

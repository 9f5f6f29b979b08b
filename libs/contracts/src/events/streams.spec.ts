import { expect, test } from '@jest/globals';
import { streams } from './streams.js';

test('a stream lists the subjects of events whose outbox rows their producer deletes', () => {
  expect(streams.issuance.producerConfirmedSubjects).toEqual(['evt.issuance.subject.erasure_started']);
  expect(streams.directory.producerConfirmedSubjects).toEqual(['evt.directory.user.erasure_started']);
});

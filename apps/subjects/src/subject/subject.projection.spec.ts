import { describe, expect, it } from '@jest/globals';
import type { CustomerEvent, SubjectState } from '@holdfast/contracts';
import { newestPerSubject } from './subject.projection.js';

const event = (subject: string, version: number, erased = false) =>
  ({ subject, version, ...(!erased && { state: {} as SubjectState }) }) as CustomerEvent;

describe('the newest event of each customer in a batch', () => {
  it('is the one with the highest version, in any order', () => {
    expect(newestPerSubject([event('a', 2), event('b', 1), event('a', 3), event('a', 1)])).toEqual([
      event('a', 3),
      event('b', 1),
    ]);
  });

  it('is the erasure when there is one, even before a higher version', () => {
    const erasure = event('a', 2, true);
    expect(newestPerSubject([event('a', 1), erasure, event('a', 9)])).toEqual([erasure]);
    expect(newestPerSubject([event('a', 9), erasure])).toEqual([erasure]);
  });
});

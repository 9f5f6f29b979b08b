import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { occurring, occurringInMany } from './occurring.js';

/** Few different bytes, so that strings occur by chance. */
const fewBytes = (constraints: fc.ArrayConstraints) =>
  fc.array(fc.constantFrom(0, 97, 98, 255), constraints).map((bytes) => Buffer.from(bytes));

it('finds what a search for each byte string finds', () => {
  fc.assert(
    fc.property(
      fewBytes({ maxLength: 300 }),
      fc.array(fewBytes({ minLength: 1, maxLength: 9 }), { maxLength: 20 }),
      (bytes, needles) => {
        const found = needles.filter((needle) => bytes.includes(needle)).sort();
        expect([...occurringInMany(bytes, needles)].sort()).toEqual(found);
        expect([...occurring(bytes, needles)].sort()).toEqual(found);
      },
    ),
    { numRuns: 2000 },
  );
});

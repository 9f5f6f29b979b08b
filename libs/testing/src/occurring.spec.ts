import { expect, it } from '@jest/globals';
import fc from 'fast-check';
import { occurring, occurringInMany } from './occurring.js';

/** Few different bytes, so that strings occur by chance. */
const fewBytes = (constraints: fc.ArrayConstraints) =>
  fc.array(fc.constantFrom(0, 97, 98, 255), constraints).map((bytes) => Buffer.from(bytes));

/** jest compares texts a hundred times faster than Buffers. */
const hexOf = (needles: Iterable<Buffer>) => Array.from(needles, (needle) => needle.toString('hex')).sort();

it('finds what a search for each byte string finds', () => {
  fc.assert(
    fc.property(
      fewBytes({ maxLength: 300 }),
      fc.array(fewBytes({ minLength: 1, maxLength: 9 }), { maxLength: 20 }),
      (bytes, needles) => {
        const found = hexOf(needles.filter((needle) => bytes.includes(needle)));
        expect(hexOf(occurringInMany(bytes, needles))).toEqual(found);
        expect(hexOf(occurring(bytes, needles))).toEqual(found);
      },
    ),
    { numRuns: 2000 },
  );
});

import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { afterPrefix, nameKeyOf } from './name-key.js';

describe('nameKeyOf', () => {
  it('is the same for names that differ in case, width, composition, spacing or invisible characters', () => {
    for (const [a, b] of [
      ['Straße', 'STRASSE'],
      ['ﬁnance', 'Finance'],
      ['Ｓａｌｅｓ', 'sales'],
      ['Cafe\u0301', 'CAFÉ'],
      ['ΟΔΟΣ', 'οδος'],
      ['a  b', ' A B '],
      ['a\u200db', 'AB'],
    ] as const)
      expect(nameKeyOf(a)).toBe(nameKeyOf(b));
    expect(nameKeyOf('Müller')).not.toBe(nameKeyOf('Muller'));
  });

  it('is the key of itself, so that a stored key can be compared with a typed one', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary', maxLength: 20 }), (name) => {
        const key = nameKeyOf(name);
        expect(nameKeyOf(key)).toBe(key);
      }),
    );
  });
});

describe('afterPrefix', () => {
  it('is behind each key with the prefix, in the order of bytes', () => {
    fc.assert(
      fc.property(fc.string({ maxLength: 5 }), fc.string({ maxLength: 5 }), (prefix, rest) => {
        expect(Buffer.compare(Buffer.from(prefix + rest), Buffer.from(afterPrefix(prefix)))).toBe(-1);
      }),
    );
  });
});

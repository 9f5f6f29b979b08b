import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { searchTokensOf, tokensOfSearch } from './search-tokens.js';

const finds = (q: string, person: { name: string; email: string }) => {
  const tokens = new Set(searchTokensOf(person));
  return tokensOfSearch(q).every((token) => tokens.has(token));
};
const ann = { name: 'Ann Lee-Müller', email: 'Ann.Lee@Example.com' };

describe('a search for people', () => {
  it.each(['an', 'ANN', 'lee-m', 'ann lee', 'lee-müller', 'ann.lee@ex', 'ANN.LEE@EXAMPLE.COM'])('finds by %s', (q) =>
    expect(finds(q, ann)).toBe(true),
  );

  it.each(['nn', 'muller', 'lee-mu', 'example', 'ann bob'])('does not find by %s', (q) => {
    expect(finds(q, ann)).toBe(false);
  });

  it('treats compatibility forms, ß and the final sigma as the letters that they are forms of', () => {
    expect(finds('STRASSE', { name: 'Straße', email: 'a@b.c' })).toBe(true);
    expect(finds('οδος', { name: 'ΟΔΟΣ', email: 'a@b.c' })).toBe(true);
    expect(finds('οδοσα', { name: 'ΟΔΟΣΑΒ', email: 'a@b.c' })).toBe(true);
    expect(finds('ﬁn', { name: 'Fin', email: 'a@b.c' })).toBe(true);
  });

  it('finds by every prefix of 2 to 20 characters of any word, and by every whole word', () => {
    const word = fc.string({ minLength: 1, maxLength: 60, unit: fc.constantFrom(...'abcéßжあ😀') });
    fc.assert(
      fc.property(fc.array(word, { minLength: 1, maxLength: 6 }), fc.nat(), (words, at) => {
        const person = { name: words.join(' '), email: 'someone@example.com' };
        const chosen = words[at % words.length]!;
        expect(finds(chosen, person)).toBe(true);
        for (let n = 2; n <= Math.min(20, [...chosen].length); n += 1)
          expect(finds([...chosen].slice(0, n).join(''), person)).toBe(true);
      }),
      { numRuns: 100 },
    );
  });

  it('has a bounded number of tokens for the longest name and address', () => {
    const email = `${'x'.repeat(64)}@${'y'.repeat(60)}.example`;
    for (const name of ['x'.repeat(200), 'ab '.repeat(66), 'abcdefghij '.repeat(18)])
      expect(searchTokensOf({ name, email }).length).toBeLessThan(300);
  });
});

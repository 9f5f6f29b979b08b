import { describe, expect, it } from '@jest/globals';
import { storableId } from './storable.js';

describe('an id in a column', () => {
  it.each([
    ['a\0b', 'a\uFFFDb'],
    ['a\uD800b', 'a\uFFFDb'],
    ['x'.repeat(128), 'x'.repeat(128)],
    ['x'.repeat(129), `${'x'.repeat(127)}…`],
    [`${'x'.repeat(126)}\u{1F600}xx`, `${'x'.repeat(126)}\uFFFD…`],
    ['Ünïcödé', 'Ünïcödé'],
  ])('%j is kept as %j', (given, kept) => expect(storableId(given)).toBe(kept));
});

import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { entryOf } from '@holdfast/testing/exported-log';
import { linesOf, parseLine } from './exported-log.js';
import { parseUnambiguous } from './unambiguous-json.js';

const parsed = (line: string) => {
  try {
    return parseUnambiguous(line);
  } catch {
    return undefined;
  }
};

test('parseLine returns the same as parsing it as a whole, for whole and damaged lines', () => {
  const entry = entryOf(7);
  const line = JSON.stringify(entry);
  expect(parseLine(line)).toEqual(entry);
  const piece = fc.constantFrom(
    '',
    '"',
    '\\',
    ',',
    '{',
    '}',
    '"seq":8,',
    '"leaf":"AAAA",',
    '"leafHash":"x",',
    '0',
    ' ',
    '\\u0041',
  );
  fc.assert(
    fc.property(fc.nat(line.length), fc.nat(3), piece, (at, cut, put) => {
      const damaged = line.slice(0, at) + put + line.slice(at + cut);
      expect(parseLine(damaged)).toEqual(parsed(damaged));
    }),
    { numRuns: 5000 },
  );
});

test.each([
  '{"seq":1,"leaf":"A","leafHash":"B","leaf":"C"}',
  '{"seq":1,"leaf":"A","leafHash":"B","seq":2}',
  '{"seq":01,"leaf":"A","leafHash":"B","x":1}',
  '{"seq":1,"leaf":"A","leafHash":"B",}',
  '{"type":"end"}',
])('parseLine returns the same as parsing %s as a whole', (line) => {
  expect(parseLine(line)).toEqual(parsed(line));
});

test.each(['', 'x', '7', 'null', '[]', '"text"'])('parseLine returns undefined for %j', (line) => {
  expect(parseLine(line)).toBeUndefined();
});

test('linesOf returns whole lines, wherever a chunk ends', async () => {
  const bytes = Buffer.from('ä\n\nbc\nd');
  for (let size = 1; size <= bytes.length; size++) {
    const chunks = async function* () {
      for (let at = 0; at < bytes.length; at += size) yield bytes.subarray(at, at + size);
    };
    const lines: (string | undefined)[] = [];
    for await (const batch of linesOf(chunks())) lines.push(...batch);
    expect(lines).toEqual(['ä', '', 'bc', 'd']);
  }
});

test('a line that is too long or not UTF-8 is undefined, and the next one is read', async () => {
  const chunks = async function* () {
    yield Buffer.from('a\n');
    for (let i = 0; i < 5; i++) yield Buffer.alloc(1_000_000, 'x');
    yield Buffer.from('\nb\n\xff\n', 'latin1');
    yield Buffer.alloc(4_000_001, 'x');
  };
  const lines: (string | undefined)[] = [];
  for await (const batch of linesOf(chunks())) lines.push(...batch);
  expect(lines).toEqual(['a', undefined, 'b', undefined, undefined]);
});

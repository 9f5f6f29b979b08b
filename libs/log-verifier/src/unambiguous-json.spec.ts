import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { parseUnambiguous } from './unambiguous-json.js';

test('parseUnambiguous returns the same as JSON.parse, however the text is written', () => {
  fc.assert(
    fc.property(fc.jsonValue(), fc.constantFrom(0, 1, '\t'), (value, space) => {
      const text = JSON.stringify(value, null, space);
      expect(parseUnambiguous(text)).toEqual(JSON.parse(text));
    }),
  );
});

test.each([
  ['{"a":1,"a":1}', 'it has the member "a" twice'],
  ['{"a":{"b":1},"c":[{"b":1, "\\u0062" : 2}]}', 'it has the member "b" twice'],
  ['{"a:":1,"\\"":2,"a:":3}', 'it has the member "a:" twice'],
  ['{"__proto__":1,"__proto__":2}', 'it has the member "__proto__" twice'],
  ['{"a":1', 'it is not JSON'],
  ['', 'it is not JSON'],
  ['NaN', 'it is not JSON'],
  [`${'['.repeat(65)}${']'.repeat(65)}`, 'it is nested more than 64 levels deep'],
])('parseUnambiguous refuses %s', (text, reason) => {
  expect(() => parseUnambiguous(text)).toThrow(reason);
});

test.each(['{"a":{"a":1},"b":"\\"a\\":"}', `${'['.repeat(64)}${']'.repeat(64)}`, '{"a":[{"b":1},{"b":1}]}'])(
  'parseUnambiguous reads %s',
  (text) => {
    expect(parseUnambiguous(text)).toEqual(JSON.parse(text));
  },
);

import { expect, it } from '@jest/globals';
import { prefersText } from './accept.js';

it.each([
  ['text/plain', true],
  ['Text/Plain; charset=utf-8', true],
  ['text/plain, */*;q=0.1', true],
  ['application/json;q=0.5, text/plain', true],
  ['text/plain;q=0.5, application/json', false],
  ['text/plain, application/json', false],
  ['text/plain;q=0', false],
  ['text/plain;q=much', false],
  ['*/*', false],
  ['text/html', false],
  ['', false],
  [undefined, false],
])('prefersText of %s is %s', (accept, text) => {
  expect(prefersText(accept)).toBe(text);
});

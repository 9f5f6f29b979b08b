import { expect, test } from '@jest/globals';
import { apiOf, safeAddress } from './address.ts';

test.each([
  ['/o/acme/claim', '/o/acme/api/claim'],
  ['/o/acme/sign-in/abc_-1', '/o/acme/api/sign-in/abc_-1'],
  ['/o/o/claim', '/o/o/api/claim'],
])('apiOf %s is %s', (page, api) => {
  expect(apiOf(page)).toBe(api);
});

const here = 'https://id.example/o/acme/claim';

test.each([
  ['https://shop.example/in?x=1', 'https://shop.example/in?x=1'],
  ['http://localhost:4000/in', 'http://localhost:4000/in'],
  ['/o/acme/authorize/abc', 'https://id.example/o/acme/authorize/abc'],
  ['com.example.app:/in', 'com.example.app:/in'],
])('safeAddress accepts %s', (text, address) => {
  expect(safeAddress(text, here)).toBe(address);
});

test.each([
  'javascript:alert(1)',
  ' JavaScript:alert(1)',
  'java\nscript:alert(1)',
  'data:text/html,x',
  'blob:https://id.example/x',
  'file:///etc',
  'vbscript:x',
  'app:x',
  '',
  undefined,
  'https://',
])('safeAddress rejects %j', (text) => {
  expect(safeAddress(text, here)).toBeUndefined();
});

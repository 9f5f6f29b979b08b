import { expect, test } from '@jest/globals';
import { isFromOwnPage } from './own-page.js';

const own = 'https://id.example';
const unsafe = ['POST', 'PUT', 'PATCH', 'DELETE'];

test.each([
  ['our own page', { origin: own, 'sec-fetch-site': 'same-origin' }, true],
  ['our own page in a browser without Fetch Metadata', { origin: own }, true],
  ['no page, as from a program', {}, false],
  ['another site', { origin: 'https://evil.example', 'sec-fetch-site': 'cross-site' }, false],
  ['a sibling subdomain', { origin: 'https://shop.id.example', 'sec-fetch-site': 'same-site' }, false],
  ['another port', { origin: 'https://id.example:8443' }, false],
  ['another scheme', { origin: 'http://id.example' }, false],
  ['an opaque origin', { origin: 'null' }, false],
  ['a page that hides its origin', { 'sec-fetch-site': 'same-origin' }, false],
  ['contradictory headers', { origin: own, 'sec-fetch-site': 'cross-site' }, false],
  ['the address bar', { 'sec-fetch-site': 'none' }, false],
])('a change from %s', (_, headers, expected) => {
  for (const method of unsafe) expect(isFromOwnPage(method, headers, own)).toBe(expected);
});

test.each([
  ['our own page', { 'sec-fetch-site': 'same-origin' }, true],
  ['the address bar', { 'sec-fetch-site': 'none' }, true],
  ['a browser without Fetch Metadata', {}, true],
  ['a frame, image or script of another site', { 'sec-fetch-site': 'cross-site' }, false],
  ['a sibling subdomain', { 'sec-fetch-site': 'same-site' }, false],
  ['a script of another site', { origin: 'https://evil.example' }, false],
])('a read from %s', (_, headers, expected) => {
  for (const method of ['GET', 'HEAD']) expect(isFromOwnPage(method, headers, own)).toBe(expected);
});

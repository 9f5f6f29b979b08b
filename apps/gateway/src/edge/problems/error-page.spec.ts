import { describe, expect, test } from '@jest/globals';
import { isNavigation } from './error-page.js';

const browser = 'text/html,application/xhtml+xml,application/xml;q=0.9,*/*;q=0.8';

describe('isNavigation', () => {
  test.each<[string, string, Record<string, string>]>([
    ['a browser that opens a URL', '/', { 'sec-fetch-mode': 'navigate', accept: browser }],
    ['a browser without Fetch Metadata', '/o/nobody/authorize?x=1', { accept: browser }],
    ['a submitted form', '/o/acme/session/end', { 'sec-fetch-mode': 'navigate', accept: browser }],
  ])('is true for %s', (_, url, headers) => expect(isNavigation({ url, headers })).toBe(true));

  test.each<[string, string, Record<string, string>]>([
    ['a program without an Accept header', '/', {}],
    ['a program that accepts any type', '/', { accept: '*/*' }],
    ['a program that accepts JSON', '/', { accept: 'application/json' }],
    ['a script in a page', '/', { 'sec-fetch-mode': 'cors', accept: browser }],
    [
      'an API route, even when a browser opens it',
      '/o/acme/api/credentials/subjects',
      { 'sec-fetch-mode': 'navigate', accept: browser },
    ],
    ['the token endpoint', '/oauth2/token', { accept: browser }],
    ['metadata', '/.well-known/nothing', { accept: browser }],
  ])('is false for %s', (_, url, headers) => expect(isNavigation({ url, headers })).toBe(false));

  test('is true for a path that only begins like a route for programs', () => {
    expect(isNavigation({ url: '/o/acme/apidocs', headers: { accept: browser } })).toBe(true);
  });
});

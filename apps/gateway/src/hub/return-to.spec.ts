import { expect, test } from '@jest/globals';
import fc from 'fast-check';
import { returnAddressOf } from './return-to.js';

const base = 'https://id.example';
const returned = (given: string) => returnAddressOf(given, 'acme', base);

test.each(['/hub/acme', '/hub/acme/', '/hub/acme/people?q=a#top', '/hub/acme/apps/app_1'])(
  '%s is accepted',
  (given) => {
    expect(returned(given)).toBe(given);
  },
);

test.each([
  '',
  '/',
  'https://evil.example/hub/acme',
  '//evil.example/hub/acme',
  '/\\evil.example/hub/acme',
  '\\\\evil.example',
  '/hub/acme/../../o/acme/session/end',
  '/hub/acme/..%2f..',
  '/hub/acme/%2e%2e/globex',
  '/hub/acme\t',
  '/hub/acme/\n//evil.example',
  ' /hub/acme',
  '/hub/acmex',
  '/hub/globex',
  '/HUB/acme',
  '/o/acme/api/admin/users',
  'javascript:alert(1)',
  'https:/hub/acme',
  'hub/acme',
  '?x',
  `/hub/acme/${'a'.repeat(512)}`,
  '/hub/acme/sign-in',
  '/hub/acme/callback?code=1',
  '/hub/acme/sign-out',
])('%j is refused', (given) => {
  // An encoded slash is a name within the hub, and harmless.
  expect(returned(given)).toBe(given === '/hub/acme/..%2f..' ? given : undefined);
});

test('whatever is accepted leads to a page of this hub', () => {
  const parts = fc.constantFrom(
    '/',
    '\\',
    '//',
    'hub',
    'acme',
    '/hub/acme',
    '..',
    '.',
    '@',
    ':',
    '%2f',
    '?',
    '#',
    '\t',
  );
  fc.assert(
    fc.property(fc.array(fc.oneof(parts, fc.string({ maxLength: 3 })), { maxLength: 8 }), (given) => {
      const address = returned(given.join(''));
      if (address === undefined) return;
      const { origin, pathname } = new URL(address, `${base}/hub/acme/callback`);
      expect([origin, /^\/hub\/acme(\/|$)/.test(pathname)]).toEqual([base, true]);
    }),
  );
});

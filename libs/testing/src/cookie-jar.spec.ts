import { expect, test } from '@jest/globals';
import { CookieJar } from './cookie-jar.js';

test('sends a cookie only below its path, and removes one that has expired', () => {
  const jar = new CookieJar();
  jar.keep(['s=1; path=/o/acme; HttpOnly', 'i=2; Path=/o/acme/api/sign-in/x', 'all=3']);
  expect(jar.for('/o/acme/api/sign-in/x/options')).toBe('s=1; i=2; all=3');
  expect(jar.for('/o/acmes')).toBe('all=3');
  jar.keep(['s=; path=/o/acme; expires=Thu, 01 Jan 1970 00:00:00 GMT']);
  expect(jar.for('/o/acme/token')).toBe('all=3');
});

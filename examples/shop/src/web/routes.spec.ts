import { expect, test } from '@jest/globals';
import { readCookie, sessionCookie } from './headers.ts';
import { findRoute } from './routes.ts';

const page = () => ({ redirectTo: '' });
const routes = { 'GET /': page, 'GET /staff/:subject': page, 'POST /staff/:subject/erase': page };

test('a route is found by method and path, whole', () => {
  expect(findRoute(routes, 'GET', '/')?.params).toEqual({});
  expect(findRoute(routes, 'GET', '/staff/a%2Fb')?.params).toEqual({ subject: 'a/b' });
  expect(findRoute(routes, 'GET', '/staff/%zz')?.params).toEqual({ subject: '%zz' });
  for (const [method, path] of [
    ['POST', '/'],
    ['GET', '/staff'],
    ['GET', '/staff/a/erase'],
    ['GET', '/staff/a/'],
  ] as const)
    expect(findRoute(routes, method, path)).toBeUndefined();
});

test('the cookie is out of reach of scripts and other sites, and bound to one organization', () => {
  const settings = { app: 'shop', path: '/acme', origin: 'http://localhost:4000' } as Parameters<
    typeof sessionCookie
  >[0];
  expect(sessionCookie(settings, 'x')).toBe('shop-session=x; Path=/acme; HttpOnly; SameSite=Lax');
  expect(sessionCookie({ ...settings, origin: 'https://shop.example' }, undefined)).toBe(
    'shop-session=; Path=/acme; HttpOnly; SameSite=Lax; Secure; Max-Age=0',
  );
  expect(readCookie('kiosk-session=a; shop-session=b', 'shop-session')).toBe('b');
  expect(readCookie(undefined, 'shop-session')).toBeUndefined();
});

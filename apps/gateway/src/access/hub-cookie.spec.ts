import { expect, test } from '@jest/globals';
import type { FastifyReply } from 'fastify';
import { HubCookie } from './hub-cookie.js';

const id = 'a'.repeat(43);
const read = (cookie: string | undefined, shortId = 'acme', baseUrl = 'https://id.example') =>
  new HubCookie(baseUrl).read({ headers: cookie === undefined ? {} : { cookie } }, shortId);

test.each([
  ['the cookie of the organization', `other=1; __Host-holdfast-acme-hub=${id}`, id],
  ['no cookie', undefined, undefined],
  ['that of another organization', `__Host-holdfast-globex-hub=${id}`, undefined],
  ['one without the prefix, which another host may have set', `holdfast-acme-hub=${id}`, undefined],
  ['two of them', `__Host-holdfast-acme-hub=${id}; __Host-holdfast-acme-hub=${'b'.repeat(43)}`, undefined],
  ['a value of another form', '__Host-holdfast-acme-hub=short', undefined],
  ['a value that is too long', `__Host-holdfast-acme-hub=${'a'.repeat(44)}`, undefined],
])('a request with %s', (_, cookie, expected) => {
  expect(read(cookie)).toBe(expected);
});

test('no organization has a cookie of the same name as another, whatever their short ids', () => {
  expect(read(`__Host-holdfast-acme-hub=${id}`, 'acme-hub')).toBeUndefined();
  expect(read(`__Host-holdfast-acme-hub-sign-in=${id}`)).toBeUndefined();
});

test('the cookie is for this host only, out of the reach of scripts and of other sites', () => {
  const headers: string[] = [];
  const reply = { header: (_: string, value: string) => headers.push(value) } as unknown as FastifyReply;
  new HubCookie('https://id.example').set(reply, 'acme', id, 60);
  new HubCookie('http://localhost:8080').clear(reply, 'acme');
  expect(headers).toEqual([
    `__Host-holdfast-acme-hub=${id}; Path=/; Max-Age=60; HttpOnly; SameSite=Strict; Secure`,
    'holdfast-acme-hub=; Path=/; Max-Age=0; HttpOnly; SameSite=Strict',
  ]);
});

import { randomBytes } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { z } from 'zod';
import type { Keys } from '@holdfast/platform';
import { openPageToken, sealPageToken } from './page-token.js';

const key: Keys = [randomBytes(32)];
const scope = { org: 'acme', app: 'app_shop', route: '/o/{shortId}/x', filter: { claimed: 'true' } };
const schema = z.int();
const token = sealPageToken(key, 7, scope);

describe('a page token', () => {
  it('returns its cursor', () => expect(openPageToken(key, token, scope, schema)).toBe(7));

  it.each([
    ['organization', { ...scope, org: 'globex' }],
    ['app', { ...scope, app: 'app_kiosk' }],
    ['route', { ...scope, route: '/o/{shortId}/y' }],
    ['filter', { ...scope, filter: {} }],
  ])('is invalid with another %s', (_, other) => {
    expect(() => openPageToken(key, token, other, schema)).toThrow(
      expect.objectContaining({ code: 'invalid_page_token', status: 400 }),
    );
  });

  it('is valid under the other key of a rotation', () => {
    expect(openPageToken([randomBytes(32), ...key], token, scope, schema)).toBe(7);
  });

  it('is invalid under another key, and for another kind of cursor', () => {
    expect(() => openPageToken([randomBytes(32)], token, scope, schema)).toThrow();
    expect(() => openPageToken(key, token, scope, z.string())).toThrow();
  });

  it('cannot be changed in a single character', () => {
    fc.assert(
      fc.property(
        fc.nat(token.length - 1),
        fc.constantFrom(...'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_=.'),
        (at, c) => {
          fc.pre(token[at] !== c);
          expect(() => openPageToken(key, token.slice(0, at) + c + token.slice(at + 1), scope, schema)).toThrow();
        },
      ),
    );
  });

  it('is invalid when it is any other text', () => {
    fc.assert(
      fc.property(
        fc.string(),
        (text) =>
          void expect(() => openPageToken(key, text, scope, schema)).toThrow(
            expect.objectContaining({ code: 'invalid_page_token' }),
          ),
      ),
    );
  });
});

import { randomBytes } from 'node:crypto';
import { expect, test } from '@jest/globals';
import { passkeyUserName } from './passkey-user-name.js';

test('the name of an account has the organization and a code of four characters from the handle', () => {
  expect(passkeyUserName('Acme', Uint8Array.of(0, 31, 32, 255, 7))).toBe('Acme · 0Z0Z');
  expect(passkeyUserName('Acme', randomBytes(32))).toMatch(/^Acme · [0-9A-HJKMNP-TV-Z]{4}$/);
});

test('two accounts have different codes, and one account keeps its code under another name of the organization', () => {
  const handles = Array.from({ length: 100 }, () => randomBytes(32));
  expect(new Set(handles.map((handle) => passkeyUserName('Acme', handle))).size).toBeGreaterThan(90);
  for (const handle of handles)
    expect(passkeyUserName('Acme Blue', handle)).toBe(passkeyUserName('Acme', handle).replace('Acme', 'Acme Blue'));
});

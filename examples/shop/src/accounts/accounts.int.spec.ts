import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, test } from '@jest/globals';
import { Accounts, type Account } from './accounts.ts';

let folder = '';
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'shop-'));
});
afterEach(() => rmSync(folder, { recursive: true }));

const account = (subject: string, issuer = 'http://localhost/o/acme'): Account => ({
  issuer,
  subject,
  name: 'Ada',
  email: 'ada@example.com',
  createdAt: '2026-11-21T10:00:00.000Z',
});

test('a new Accounts on the same file finds each account under its issuer and subject', async () => {
  const accounts = new Accounts(join(folder, 'a', 'shop-acme.json'));
  await Promise.all(['1', '2', '3'].map((subject) => accounts.put(account(subject))));
  await accounts.setOffer(account('1'), { offerId: 'o', credentialId: 'c', expiresAt: '', isReplacement: false });
  await accounts.remove('http://localhost/o/acme', '3');
  const reopened = new Accounts(join(folder, 'a', 'shop-acme.json'));
  expect(reopened.all().map(({ subject, offer }) => [subject, offer?.offerId])).toEqual([
    ['1', 'o'],
    ['2', undefined],
  ]);
  expect(reopened.find('http://localhost/o/globex', '1')).toBeUndefined();
  expect(readdirSync(join(folder, 'a'))).toEqual(['shop-acme.json']);
});

test('the constructor throws when the file is damaged', () => {
  const file = join(folder, 'shop-acme.json');
  writeFileSync(file, '{"half": ');
  expect(() => new Accounts(file)).toThrow(`${file} is damaged`);
});

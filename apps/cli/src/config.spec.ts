import { expect, test } from '@jest/globals';
import { databaseServices } from '@holdfast/contracts';
import { databaseConfig } from './config.js';

const stored = Object.fromEntries(databaseServices.map((name) => [`DB_PASSWORD_${name.toUpperCase()}`, `new-${name}`]));

test('passwords of a Secret are used instead of those of the environment', () => {
  process.env.DB_PASSWORD_AUDIT = 'old';
  try {
    const { passwords } = databaseConfig({ ...stored, COOKIE_KEY: 'x' });
    expect(passwords).toEqual(Object.fromEntries(databaseServices.map((name) => [name, `new-${name}`])));
  } finally {
    delete process.env.DB_PASSWORD_AUDIT;
  }
});

test('a Secret without one of the passwords is refused, so that no role gets an empty one', () => {
  for (const missing of [{ DB_PASSWORD_AUDIT: '' }, { DB_PASSWORD_AUDIT: undefined }])
    expect(() => databaseConfig({ ...stored, ...missing } as Record<string, string>)).toThrow('DB_PASSWORD_AUDIT');
});

import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { beforeEach, describe, expect, test } from '@jest/globals';
import { missingSecrets } from '@holdfast/platform-policy';
import { databasePasswords, loadSecrets } from './secrets.ts';

let file: string;
beforeEach(() => {
  file = join(mkdtempSync(join(tmpdir(), 'holdfast-secrets-')), 'secrets.json');
});

describe('the secrets of a stack', () => {
  test('are created at the first start and the same afterwards', () => {
    const first = loadSecrets(file);
    expect(Object.keys(first)).toEqual(Object.keys(missingSecrets({})));
    expect(loadSecrets(file)).toEqual(first);
  });

  test('of an earlier version keep their values under the names of the table', () => {
    const earlier = {
      postgresPassword: 'owner',
      databasePasswords: { auth: 'of auth' },
      nkeySeeds: { gateway: 'SUGATEWAY', deploy: 'SUDEPLOY' },
      keyEncryptionKey: 'kek',
      keyEncryptionKeyPrevious: 'earlier kek',
      pepper: 'pepper',
      pageTokenKey: 'page',
      presenceKey: 'presence',
      cookieKey: 'cookie',
      auditSigningKey: 'seed',
    };
    writeFileSync(file, JSON.stringify(earlier));
    const secrets = loadSecrets(file);
    expect(secrets).toMatchObject({
      POSTGRES_PASSWORD: 'owner',
      DB_PASSWORD_AUTH: 'of auth',
      NATS_NKEY_SEED_GATEWAY: 'SUGATEWAY',
      NATS_NKEY_SEED_DEPLOY: 'SUDEPLOY',
      KEY_ENCRYPTION_KEY_AUTH: 'kek',
      KEY_ENCRYPTION_KEY_ISSUANCE: 'kek',
      KEY_ENCRYPTION_KEY_AUDIT: 'kek',
      KEY_ENCRYPTION_KEY_DIRECTORY: 'kek',
      KEY_ENCRYPTION_KEY_AUDIT_PREVIOUS: 'earlier kek',
      SECRET_PEPPER: 'pepper',
      PAGE_TOKEN_KEY: 'page',
      PRESENCE_KEY: 'presence',
      COOKIE_KEY: 'cookie',
      AUDIT_SIGNING_KEYS: 'seed',
    });
    expect(databasePasswords(secrets).auth).toBe('of auth');
    expect(JSON.parse(readFileSync(file, 'utf8'))).toEqual(secrets);
  });
});

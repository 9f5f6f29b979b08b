import { describe, expect, test } from '@jest/globals';
import { databaseServices, natsUsers, serviceNames } from '@holdfast/contracts';
import { missingSecrets, secretTable, secretVariables, shardSecretTable } from './secrets.js';

const servicesWith = (variable: string): string[] =>
  serviceNames.filter((service) => secretVariables(service).some((s) => s.variable === variable));

describe('the table of secrets', () => {
  test('names each secret once, by a name that a Kubernetes Secret and a shell accept', () => {
    const names = secretTable.map(({ name }) => name);
    expect(new Set(names).size).toBe(names.length);
    for (const name of names) expect(name).toMatch(/^[A-Z][A-Z0-9_]*$/);
  });

  test('gives each service only the keys that it uses', () => {
    expect(servicesWith('KEY_ENCRYPTION_KEY')).toEqual(['auth', 'issuance', 'audit', 'directory', 'signals']);
    expect(servicesWith('SECRET_PEPPER')).toEqual(['auth', 'issuance', 'directory']);
    expect(servicesWith('AUDIT_SIGNING_KEYS')).toEqual(['audit']);
    expect(servicesWith('PAGE_TOKEN_KEY')).toEqual(['gateway']);
    expect(servicesWith('PRESENCE_KEY')).toEqual(['issuance']);
    expect(servicesWith('COOKIE_KEY_PREVIOUS')).toEqual(['auth']);
    expect(servicesWith('NATS_NKEY_SEED')).toEqual(serviceNames);
  });

  test('has a key-encryption key of its own for each service', () => {
    const keys = ['auth', 'audit'] as const;
    const [auth, audit] = keys.map((s) => secretVariables(s).find((v) => v.variable === 'KEY_ENCRYPTION_KEY')!.name);
    expect([auth, audit]).toEqual(['KEY_ENCRYPTION_KEY_AUTH', 'KEY_ENCRYPTION_KEY_AUDIT']);
  });

  test('has a seed for each NATS user and a password for each database role', () => {
    const created = missingSecrets({});
    for (const user of natsUsers) expect(created[`NATS_NKEY_SEED_${user.toUpperCase()}`]).toMatch(/^SU[A-Z2-7]{56}$/);
    for (const service of databaseServices)
      expect(created[`DB_PASSWORD_${service.toUpperCase()}`]).toMatch(/^[\w-]{43}$/);
  });
});

test('a shard has NKeys of the services that run there and database passwords of its own, and no other secret', () => {
  const names = shardSecretTable.map(({ name }) => name);
  expect(names.filter((name) => name.startsWith('NATS_'))).toEqual(
    ['ISSUANCE', 'SUBJECTS', 'AUDIT', 'SIGNALS'].map((service) => `NATS_NKEY_SEED_${service}`),
  );
  expect(names.filter((name) => !name.startsWith('NATS_'))).toEqual([
    ...databaseServices.map((service) => `DB_PASSWORD_${service.toUpperCase()}`),
    'POSTGRES_PASSWORD',
  ]);
});

describe('the missing secrets', () => {
  test('are all of an empty deployment, each different', () => {
    const created = missingSecrets({});
    expect(Object.keys(created)).toEqual(secretTable.map(({ name }) => name));
    expect(new Set(Object.values(created)).size).toBe(secretTable.length);
  });

  test('are none of those that exist', () => {
    const { COOKIE_KEY, ...others } = missingSecrets({});
    expect(COOKIE_KEY).toBeDefined();
    expect(Object.keys(missingSecrets(others))).toEqual(['COOKIE_KEY']);
  });

  test('include one that is empty', () => {
    expect(Object.keys(missingSecrets({ ...missingSecrets({}), COOKIE_KEY: '' }))).toEqual(['COOKIE_KEY']);
  });
});

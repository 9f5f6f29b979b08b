import { describe, expect, test } from '@jest/globals';
import { nodeOptions, services, type ServiceName } from '@holdfast/contracts';
import { missingSecrets } from '@holdfast/platform-policy';
import { ownDatabaseUrls } from './database.ts';
import type { Instance } from './instances.ts';
import { plainAddress } from './public-address.ts';
import { serviceEnv } from './service-env.ts';

const names = Object.keys(services) as ServiceName[];
const secrets = { ...missingSecrets({}), DB_PASSWORD_ISSUANCE: 'issuance/password' };
const addresses = {
  public: plainAddress('http://localhost:8080'),
  natsUrl: 'nats://127.0.0.1:4222',
  databaseUrl: 'postgresql://postgres:p@127.0.0.1:5432/holdfast',
  checkpointDir: '/checkpoints',
  shopOrigins: ['http://localhost:4000'],
};
const instance = (service: ServiceName, replica: number, httpPort?: number): Instance => ({
  service,
  replica,
  name: `${service}-${replica}`,
  host: '127.0.0.1',
  opsPort: 9000 + replica,
  readyUrl: '',
  ...(httpPort ? { httpPort } : {}),
});
const all = [
  instance('gateway', 1, 8080),
  instance('auth', 1, 7001),
  instance('auth', 2, 7002),
  instance('audit', 1, 7003),
  instance('subjects', 1),
];
const declared = new Set([
  'OFFER_MIN_SECONDS',
  'OUTBOUND_PORTS',
  'HOLDFAST_TEST_CLOCK',
  'LOG_LEVEL',
  'PRESENCE_COST',
  'TURNSTILE_URL',
]);
const envOf = (service: ServiceName, caller: NodeJS.ProcessEnv = {}): NodeJS.ProcessEnv =>
  serviceEnv(all.find((i) => i.service === service) ?? instance(service, 1), all, addresses, secrets, caller, declared);

describe('the environment of a service', () => {
  test('has the URL of its own database role, with the password escaped', () => {
    expect(envOf('issuance').DATABASE_URL).toBe(
      'postgresql://holdfast_issuance:issuance%2Fpassword@127.0.0.1:5432/holdfast',
    );
    expect(envOf('gateway').DATABASE_URL).toBeUndefined();
  });

  test('has the URL of its own database, and issuance that of subjects for watermarks', () => {
    const databaseUrls = ownDatabaseUrls(addresses.databaseUrl);
    const own = (service: ServiceName): NodeJS.ProcessEnv =>
      serviceEnv(instance(service, 1), all, { ...addresses, databaseUrls }, secrets, {}, declared);
    const named = (service: ServiceName) => [own(service).DATABASE_URL, own(service).WATERMARK_DATABASE_URL];
    expect(named('subjects')).toEqual([expect.stringMatching(/holdfast_subjects:.*\/holdfast_subjects$/), undefined]);
    expect(named('issuance')).toEqual([
      expect.stringMatching(/holdfast_issuance:.*\/holdfast_issuance$/),
      expect.stringMatching(/holdfast_issuance:.*\/holdfast_subjects$/),
    ]);
    expect(envOf('issuance').WATERMARK_DATABASE_URL).toBeUndefined();
  });

  test('has only the keys that the service uses', () => {
    const servicesWith = (variable: string): string[] => names.filter((name) => envOf(name)[variable]);
    expect(servicesWith('KEY_ENCRYPTION_KEY')).toEqual(['auth', 'issuance', 'audit', 'directory', 'signals']);
    expect(servicesWith('AUDIT_SIGNING_KEYS')).toEqual(['audit']);
    expect(servicesWith('SECRET_PEPPER')).toEqual(['auth', 'issuance', 'directory']);
    expect(servicesWith('PAGE_TOKEN_KEY')).toEqual(['gateway']);
    expect(servicesWith('PRESENCE_KEY')).toEqual(['issuance']);
    expect(servicesWith('COOKIE_KEY')).toEqual(['auth']);
  });

  test('has the URLs of all replicas of auth, for the gateway only', () => {
    expect(envOf('gateway').AUTH_URLS).toBe('http://127.0.0.1:7001,http://127.0.0.1:7002');
    expect(envOf('audit').AUTH_URLS).toBeUndefined();
  });

  test('has OUTBOUND_ALLOW where the service calls or registers outside addresses', () => {
    expect(names.filter((name) => envOf(name).OUTBOUND_ALLOW)).toEqual(['auth', 'directory', 'signals']);
    expect(envOf('auth').OUTBOUND_ALLOW).toBe('http://localhost:4000');
    expect(envOf('auth', { OUTBOUND_ALLOW: 'http://localhost:5' }).OUTBOUND_ALLOW).toBe(
      'http://localhost:4000,http://localhost:5',
    );
  });

  test('lets these services call every port of this machine, unless the caller says otherwise', () => {
    expect(names.filter((name) => envOf(name).OUTBOUND_ALLOW_LOOPBACK === 'true')).toEqual([
      'auth',
      'directory',
      'signals',
    ]);
    expect(envOf('auth', { OUTBOUND_ALLOW_LOOPBACK: 'false' }).OUTBOUND_ALLOW_LOOPBACK).toBe('false');
  });

  test("has the heap sizes of all deployments, and the caller's after them", () => {
    for (const name of names) expect([name, envOf(name).NODE_OPTIONS]).toEqual([name, nodeOptions]);
    expect(envOf('audit', { NODE_OPTIONS: '--max-old-space-size=1024' }).NODE_OPTIONS).toBe(
      `${nodeOptions} --max-old-space-size=1024`,
    );
  });

  test("has the caller's declared settings, and neither undeclared ones nor secrets of the shell", () => {
    const env = envOf('subjects', {
      PATH: '/bin',
      OFFER_MIN_SECONDS: '1',
      OUTBOUND_PORTS: '1',
      HOLDFAST_TEST_CLOCK: '2',
      LOG_LEVEL: 'debug',
      PRESENCE_COST: '1',
      TURNSTILE_URL: 'u',
      PRESENCE_KEY: 'mine',
      PRESENCE_KEY_PREVIOUS: 'mine',
      OFFER_MINIMUM: 'unknown',
      AWS_SECRET: 's',
      DATABASE_URL: 'other',
    });
    expect(env).toMatchObject({
      PATH: '/bin',
      OFFER_MIN_SECONDS: '1',
      OUTBOUND_PORTS: '1',
      HOLDFAST_TEST_CLOCK: '2',
      LOG_LEVEL: 'debug',
      PRESENCE_COST: '1',
      TURNSTILE_URL: 'u',
    });
    expect([env.PRESENCE_KEY, env.PRESENCE_KEY_PREVIOUS]).toEqual([undefined, undefined]);
    expect([env.AWS_SECRET, env.OFFER_MINIMUM]).toEqual([undefined, undefined]);
    expect(env.DATABASE_URL).toContain('holdfast_subjects');
  });
});

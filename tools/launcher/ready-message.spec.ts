import { expect, test } from '@jest/globals';
import type { Demo } from './demo.ts';
import { plainAddress } from './public-address.ts';
import { readyMessage } from './ready-message.ts';

const app = (name: string, scopes: string[]) => ({
  name,
  kind: 'web',
  audience: 'customers',
  clientId: `id-${name}`,
  clientSecret: `secret-${name}`,
  redirectUris: [],
  scopes,
});
const baseUrl = 'http://localhost:8080';
const address = plainAddress(baseUrl);
const organization = {
  shortId: 'acme',
  issuer: `${baseUrl}/o/acme`,
  presence: 'optional' as const,
  credentialTypes: [],
  apps: [app('robot', ['audit:read']), app('shop', ['offers:write', 'issued:read'])],
  groups: [],
  owner: { id: 'o', email: 'owner@acme.example', name: 'Olivia Owner', status: 'invited' },
  ownerInvitationUrl: `${baseUrl}/o/acme/invitation#token`,
};

test('contains commands with the credentials of the shop', () => {
  const text = readyMessage({ baseUrl, services: [], organizations: [organization] }, '1.0 s', address);
  expect(text).toContain(
    "curl -s -u 'id-shop:secret-shop' -d grant_type=client_credentials " +
      `--data-urlencode 'scope=offers:write issued:read' ${baseUrl}/oauth2/token`,
  );
  expect(text).toContain(`-d '{}' ${baseUrl}/o/acme/api/credentials/offers`);
  expect(text).toContain(`${baseUrl}/o/acme/api/credentials/subjects`);
});

test('names the shop first when it runs, and not otherwise', () => {
  const shop = { name: 'shop', replica: 1, pid: 7, readyUrl: 'http://localhost:4000/healthz' };
  const lines = readyMessage({ baseUrl, services: [shop], organizations: [organization] }, '1.0 s', address)
    .split('\n')
    .filter((line) => line.startsWith('  '));
  expect(lines.slice(0, 2)).toEqual([
    '  Shop       http://localhost:4000/acme – sign up there',
    '  Staff      http://localhost:4000/acme/staff – sign in there as the owner',
  ]);
  expect(
    readyMessage({ baseUrl, services: [{ ...shop, pid: null }], organizations: [organization] }, '1.0 s', address),
  ).not.toContain('sign up there');
});

test('contains the invitation of the owner until they have accepted it', () => {
  const ownerLineOf = (one: Demo['organizations'][number]) =>
    readyMessage({ baseUrl, services: [], organizations: [one] }, '1.0 s', address).match(/^ {2}Owner.*$/m)?.[0];
  expect(ownerLineOf(organization)).toBe(
    `  Owner      ${baseUrl}/o/acme/invitation#token – the invitation of acme's owner, for one use`,
  );
  const { ownerInvitationUrl: _accepted, ...accepted } = organization;
  expect(ownerLineOf(accepted)).toBe('  Owner      owner@acme.example has accepted the invitation to acme');
  expect(ownerLineOf({ ...organization, shortId: 'initech' })).toBeUndefined();
});

test('contains no commands when there is no demo', () => {
  expect(readyMessage({ baseUrl, services: [], organizations: [] }, '1.0 s', address)).not.toContain('curl');
});

test('under a name that no name server knows, the commands find it', () => {
  const own = { ...plainAddress('https://id.example.test'), isResolved: false };
  const text = readyMessage({ baseUrl: own.baseUrl, services: [], organizations: [organization] }, '1.0 s', own);
  expect(text).toContain('curl -s --resolve id.example.test:443:127.0.0.1 -u');
});

import { expect, test } from '@jest/globals';
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
const organization = {
  shortId: 'acme',
  issuer: `${baseUrl}/o/acme`,
  presence: 'optional' as const,
  credentialTypes: [],
  apps: [app('robot', ['audit:read']), app('shop', ['offers:write', 'issued:read'])],
};

test('contains commands with the credentials of the shop', () => {
  const text = readyMessage({ baseUrl, services: [], organizations: [organization] }, '1.0 s');
  expect(text).toContain(
    "curl -s -u 'id-shop:secret-shop' -d grant_type=client_credentials " +
      `--data-urlencode 'scope=offers:write issued:read' ${baseUrl}/oauth2/token`,
  );
  expect(text).toContain(`-d '{}' ${baseUrl}/o/acme/api/credentials/offers`);
  expect(text).toContain(`${baseUrl}/o/acme/api/credentials/subjects`);
});

test('names the shop first when it runs, and not otherwise', () => {
  const shop = { name: 'shop', replica: 1, pid: 7, readyUrl: 'http://localhost:4000/healthz' };
  const lines = readyMessage({ baseUrl, services: [shop], organizations: [organization] }, '1.0 s')
    .split('\n')
    .filter((line) => line.startsWith('  '));
  expect(lines[0]).toBe('  Shop       http://localhost:4000/acme – sign up there');
  expect(
    readyMessage({ baseUrl, services: [{ ...shop, pid: null }], organizations: [organization] }, '1.0 s'),
  ).not.toContain('sign up there');
});

test('contains no commands when there is no demo', () => {
  expect(readyMessage({ baseUrl, services: [], organizations: [] }, '1.0 s')).not.toContain('curl');
});

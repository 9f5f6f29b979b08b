import type { ManagedApp, ManagedSecret } from '@holdfast/contracts';

/** Examples for the API reference. */
export const clientId = 'app_Ab3dE6gH9jK2mN5pQ8sT1v';
export const secretExample: ManagedSecret = { id: 'sec_k3Jd8sLq0Zx1', createdAt: '2026-11-21T09:30:00.000Z' };
export const newSecretExample = { ...secretExample, clientSecret: 'n0tR3alX9cVb2mKq7wZt5yHf4gJd1sLp6aQe8rUiO' };

export const appExample: ManagedApp = {
  clientId,
  name: 'Shop',
  kind: 'web',
  audience: 'customers',
  status: 'enabled',
  displayName: 'Acme Shop',
  redirectUris: ['https://shop.example/callback'],
  postLogoutRedirectUris: ['https://shop.example/'],
  origins: [],
  backchannelLogoutUri: 'https://shop.example/logged-out',
  helpUri: 'https://shop.example/help',
  refreshTokens: true,
  pkce: 'required',
  scopes: [],
  apiVersion: '2026-11-01',
  version: 1,
  createdAt: '2026-11-21T09:30:00.000Z',
};

import { adminOperations, customerScopes, type App, type AppKind } from '@holdfast/contracts';

export interface WantedApp {
  name: string;
  kind: AppKind;
  audience: App['audience'];
  redirectUris: string[];
  scopes: string[];
}

export const demoOrganizations = [
  { shortId: 'acme', name: 'Acme' },
  { shortId: 'globex', name: 'Globex' },
];

const web = (name: string, port: number): WantedApp => ({
  name,
  kind: 'web',
  audience: 'customers',
  redirectUris: [`http://localhost:${port}/callback`],
  scopes: Object.keys(customerScopes),
});

/** Two apps see that each has its own customers; the third runs the organization by program. */
export const demoApps: WantedApp[] = [
  web('shop', 4000),
  web('kiosk', 4001),
  { name: 'automation', kind: 'service', audience: 'customers', redirectUris: [], scopes: Object.keys(adminOperations) },
];

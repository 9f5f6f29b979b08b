import { adminOperations, customerScopes, type App, type AppKind } from '@holdfast/contracts';

export interface WantedApp {
  name: string;
  kind: AppKind;
  audience: App['audience'];
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  scopes: string[];
}

export const demoOrganizations = [
  { shortId: 'acme', name: 'Acme' },
  { shortId: 'globex', name: 'Globex' },
];

/** The example shop serves both organizations at one address, each under its short ID. */
const web = (name: string, org: string, port: number): WantedApp => ({
  name,
  kind: 'web',
  audience: 'customers',
  redirectUris: [`http://localhost:${port}/${org}/callback`],
  postLogoutRedirectUris: [`http://localhost:${port}/${org}`],
  scopes: Object.keys(customerScopes),
});

/** Two apps see that each has its own customers; the third runs the organization by program. */
export function demoApps(org: string): WantedApp[] {
  return [
    web('shop', org, 4000),
    web('kiosk', org, 4001),
    { name: 'automation', kind: 'service', audience: 'customers', redirectUris: [], postLogoutRedirectUris: [], scopes: Object.keys(adminOperations) },
  ];
}

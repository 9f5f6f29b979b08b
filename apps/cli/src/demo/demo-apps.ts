import { adminOperations, customerScopes, type App, type AppKind } from '@holdfast/contracts';

export interface WantedApp {
  name: string;
  kind: AppKind;
  audience: App['audience'];
  credentialType?: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  scopes: string[];
}

/** Where the example's two apps listen on this machine. */
export interface ShopPorts {
  shop: number;
  kiosk: number;
}

export const demoOrganizations = [
  { shortId: 'acme', name: 'Acme' },
  { shortId: 'globex', name: 'Globex' },
];

/**
 * The example shop (examples/shop) serves both organizations at one address, each under its short ID. A sign-in leads back
 * to `callback`; a claim leads on to `welcome`, which an offer may name since it is registered too.
 */
const web = (name: string, org: string, port: number, credentialType?: string): WantedApp => {
  const home = `http://localhost:${port}/${org}`;
  return {
    name, kind: 'web', audience: 'customers', ...(credentialType !== undefined && { credentialType }),
    redirectUris: [`${home}/callback`, `${home}/welcome`], postLogoutRedirectUris: [home], scopes: Object.keys(customerScopes),
  };
};

/** Of an address that an earlier seed registered: whether it is the example's, on whatever port it had then. */
export function isShopUri(uri: string, org: string): boolean {
  return /^http:\/\/localhost:\d+(?=\/)/.test(uri) && ['', '/callback', '/welcome'].includes(uri.replace(/^http:\/\/localhost:\d+/, '').replace(`/${org}`, ''));
}

/** Two apps see that each has its own customers; the third runs the organization by program. */
export function demoApps(org: string, ports: ShopPorts): WantedApp[] {
  return [
    web('shop', org, ports.shop),
    web('kiosk', org, ports.kiosk, 'membership'),
    { name: 'automation', kind: 'service', audience: 'customers', redirectUris: [], postLogoutRedirectUris: [], scopes: Object.keys(adminOperations) },
  ];
}

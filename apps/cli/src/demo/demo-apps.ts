import { adminOperations, customerScopes, type App, type AppKind, type PresencePolicy } from '@holdfast/contracts';

export interface WantedApp {
  name: string;
  displayName?: string;
  kind: AppKind;
  audience: App['audience'];
  credentialType?: string;
  redirectUris: string[];
  postLogoutRedirectUris: string[];
  backchannelLogoutUri?: string;
  scopes: string[];
}

/** Where the example's two apps listen on this machine. */
export interface ShopPorts {
  shop: number;
  kiosk: number;
  /** Whether somebody started it: only then can it be told of sign-outs. */
  open: boolean;
}

/** Two ways with proof of presence: acme verifies one when it is sent, globex takes no offer without. */
export const demoOrganizations: { shortId: string; name: string; presence: PresencePolicy['policy'] }[] = [
  { shortId: 'acme', name: 'Acme', presence: 'optional' },
  { shortId: 'globex', name: 'Globex', presence: 'required' },
];

/**
 * The example shop (examples/shop) serves both organizations at one address, each under its short ID. A sign-in leads
 * back to `callback`; a claim leads on to `welcome`, which an offer may name since it is registered too.
 */
const web = (name: string, org: string, port: number, open: boolean, credentialType?: string): WantedApp => {
  const home = `http://localhost:${port}/${org}`;
  return {
    name,
    displayName: name[0]!.toUpperCase() + name.slice(1),
    kind: 'web',
    audience: 'customers',
    ...(credentialType !== undefined && { credentialType }),
    redirectUris: [`${home}/callback`, `${home}/welcome`],
    postLogoutRedirectUris: [home],
    ...(open && { backchannelLogoutUri: `${home}/backchannel-logout` }),
    scopes: Object.keys(customerScopes),
  };
};

/** Of an address that an earlier seed registered: whether it is the example's, on whatever port it had then. */
export function isShopUri(uri: string, org: string): boolean {
  return (
    /^http:\/\/localhost:\d+(?=\/)/.test(uri) &&
    ['', '/callback', '/welcome', '/backchannel-logout'].includes(
      uri.replace(/^http:\/\/localhost:\d+/, '').replace(`/${org}`, ''),
    )
  );
}

/** Two apps see that each has its own customers; the third runs the organization by program. */
export function demoApps(org: string, ports: ShopPorts): WantedApp[] {
  return [
    web('shop', org, ports.shop, ports.open),
    web('kiosk', org, ports.kiosk, ports.open, 'membership'),
    {
      name: 'automation',
      kind: 'service',
      audience: 'customers',
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: Object.keys(adminOperations),
    },
  ];
}

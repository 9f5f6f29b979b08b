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

/** Where the example shop is reached: scheme and host, and the ports of its two apps. */
export interface ShopAddress {
  /** Such as http://localhost. */
  site: string;
  /** The sites of earlier seeds, whose addresses are replaced. */
  earlierSites: string[];
  shop: number;
  kiosk: number;
  /** Whether the shop runs and can receive logout tokens. */
  open: boolean;
}

/** Both presence policies: acme accepts offers without a presence proof, globex does not. */
export const demoOrganizations: { shortId: string; name: string; presence: PresencePolicy['policy'] }[] = [
  { shortId: 'acme', name: 'Acme', presence: 'optional' },
  { shortId: 'globex', name: 'Globex', presence: 'required' },
];

/**
 * The example shop (examples/shop) serves both organizations at one address, each under its short id. A sign-in
 * redirects to `callback`, a claim to `welcome`, which is registered so that an offer may name it.
 */
const webApp = (
  name: 'shop' | 'kiosk',
  org: string,
  { site, open, ...ports }: ShopAddress,
  credentialType?: string,
): WantedApp => {
  const home = `${site}:${ports[name]}/${org}`;
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

/** Signs in the organization's people, to the staff area of the shop. */
const staffApp = (org: string, { site, shop, open }: ShopAddress): WantedApp => {
  const home = `${site}:${shop}/${org}/staff`;
  return {
    name: 'staff',
    displayName: 'Staff area',
    kind: 'web',
    audience: 'people',
    redirectUris: [`${home}/callback`],
    postLogoutRedirectUris: [home],
    ...(open && { backchannelLogoutUri: `${home}/backchannel-logout` }),
    scopes: [],
  };
};

/** Whether an earlier seed registered this address for the example shop, on any port. */
export function isShopUri(uri: string, org: string, { site, earlierSites }: ShopAddress): boolean {
  const { protocol, hostname, port, pathname, search } = new URL(uri);
  return (
    port !== '' &&
    search === '' &&
    ['http://localhost', site, ...earlierSites].includes(`${protocol}//${hostname}`) &&
    ['', '/callback', '/welcome', '/backchannel-logout'].includes(
      pathname.replace(`/${org}`, '').replace(/^\/staff/, ''),
    )
  );
}

/**
 * `shop` and `kiosk` show that each app has its own customers, and `staff` signs in people; `automation` has the scopes
 * of the Admin API; `security events` receives what the staff area shows.
 */
export function demoApps(org: string, address: ShopAddress): WantedApp[] {
  return [
    webApp('shop', org, address),
    webApp('kiosk', org, address, 'membership'),
    staffApp(org, address),
    {
      name: 'automation',
      kind: 'service',
      audience: 'customers',
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: Object.keys(adminOperations),
    },
    {
      name: 'security events',
      kind: 'receiver',
      audience: 'customers',
      redirectUris: [],
      postLogoutRedirectUris: [],
      scopes: [],
    },
  ];
}

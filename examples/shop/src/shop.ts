import { join } from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import type { Settings } from './config.ts';
import { BackChannelLogout } from './holdfast/back-channel-logout.ts';
import { CredentialsApi } from './holdfast/credentials-api.ts';
import { SecurityEvents } from './holdfast/security-events.ts';
import { SignIn, type Client } from './holdfast/sign-in.ts';
import { SessionStore } from './server/session.ts';

/** One app of one organization, with its accounts and sessions. */
export interface Shop {
  settings: Settings;
  /** The display name, such as "Acme" or "Acme Kiosk". */
  name: string;
  credentials: CredentialsApi;
  accounts: Accounts;
  customers: Area;
  staff: Area | undefined;
  /** What Holdfast tells this organization; staff can watch it. */
  securityEvents: SecurityEvents | undefined;
}

/**
 * The pages that one client of the issuer signs in to. Customers and staff have separate clients, cookies and sessions,
 * so that neither session opens the other's pages, and signing out of one does not end the other.
 */
export interface Area {
  /** The member of the session that says who signed in. */
  kind: 'customer' | 'staff';
  /** Such as /acme or /acme/staff. */
  path: string;
  /** Below `path`: the page after a sign-in. */
  home: string;
  cookieName: string;
  signIn: SignIn;
  backChannelLogout: BackChannelLogout;
  sessions: SessionStore;
}

export function openShop(settings: Settings, dataFolder: string): Shop {
  const { app, organization, path, staff, receiver } = settings;
  const organizationName = organization.charAt(0).toUpperCase() + organization.slice(1);
  return {
    settings,
    name: app === 'shop' ? organizationName : `${organizationName} Kiosk`,
    credentials: new CredentialsApi(settings),
    accounts: new Accounts(join(dataFolder, `${app}-${organization}.json`)),
    // Browsers share cookies between ports, so the app's name is part of the cookie's. On https, prefix it with
    // "__Secure-", or with "__Host-" when the path is "/".
    customers: openArea(settings, { kind: 'customer', path, home: '/account', cookieName: `${app}-session` }),
    staff:
      staff && openArea(staff, { kind: 'staff', path: `${path}/staff`, home: '', cookieName: `${app}-staff-session` }),
    securityEvents: receiver && new SecurityEvents(receiver),
  };
}

function openArea(client: Client, area: Pick<Area, 'kind' | 'path' | 'home' | 'cookieName'>): Area {
  const signIn = new SignIn(client);
  return {
    ...area,
    signIn,
    backChannelLogout: new BackChannelLogout(client, () => signIn.jwksUrl()),
    sessions: new SessionStore(),
  };
}

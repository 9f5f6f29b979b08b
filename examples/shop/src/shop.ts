import { join } from 'node:path';
import { Accounts } from './accounts/accounts.ts';
import type { Settings } from './config.ts';
import { BackChannelLogout } from './holdfast/back-channel-logout.ts';
import { CredentialsApi } from './holdfast/credentials-api.ts';
import { SignIn } from './holdfast/sign-in.ts';
import { SessionStore } from './server/session.ts';

/** One app of one organization, with its accounts and sessions. */
export interface Shop {
  settings: Settings;
  /** The display name, such as "Acme" or "Acme Kiosk". */
  name: string;
  credentials: CredentialsApi;
  signIn: SignIn;
  backChannelLogout: BackChannelLogout;
  accounts: Accounts;
  sessions: SessionStore;
}

export function openShop(settings: Settings, dataFolder: string): Shop {
  const { app, organization } = settings;
  const organizationName = organization.charAt(0).toUpperCase() + organization.slice(1);
  const signIn = new SignIn(settings);
  return {
    settings,
    name: app === 'shop' ? organizationName : `${organizationName} Kiosk`,
    credentials: new CredentialsApi(settings),
    signIn,
    backChannelLogout: new BackChannelLogout(settings, () => signIn.jwksUrl()),
    accounts: new Accounts(join(dataFolder, `${app}-${organization}.json`)),
    sessions: new SessionStore(),
  };
}

import { contractsOf } from '../contract.js';
import * as account from './account.js';
import * as claims from './claims.js';
import * as credentialTypes from './credential-types.js';
import * as credentials from './credentials.js';
import * as offers from './offers.js';
import * as passkeyLinks from './passkey-links.js';
import * as presence from './presence.js';
import * as signIn from './sign-in.js';

/** Every contract that issuance handles. */
export const issuanceContracts = contractsOf(
  account,
  claims,
  credentialTypes,
  credentials,
  offers,
  passkeyLinks,
  presence,
  signIn,
);

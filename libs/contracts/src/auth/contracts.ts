import { contractsOf } from '../contract.js';
import * as account from './account.js';
import * as auth from './auth.js';
import * as hub from './hub.js';
import * as issuerKeys from './issuer-keys.js';
import * as personSessions from './person-sessions.js';
import * as proofs from './proofs.js';
import * as securityEvents from './security-events.js';
import * as token from './token.js';

/** Every contract that auth handles. */
export const authContracts = contractsOf(account, auth, hub, issuerKeys, personSessions, proofs, securityEvents, token);

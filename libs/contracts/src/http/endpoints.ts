import { accessRequestEndpoints } from '../directory/access-requests.http.js';
import { accountEndpoints, ownPasskeyEndpoints } from '../directory/account.http.js';
import { assignmentEndpoints } from '../directory/assignments.http.js';
import { entitlementEndpoints } from '../directory/entitlements.http.js';
import { groupEndpoints } from '../directory/groups.http.js';
import { userEndpoints } from '../directory/people.http.js';
import { userPasskeyEndpoints } from '../directory/person-passkeys.http.js';
import type { Forwarded } from './forwarded.js';

/** The endpoints that the gateway serves by one request to a service, by area. */
export const forwardedEndpoints = {
  accessRequests: accessRequestEndpoints,
  account: accountEndpoints,
  assignments: assignmentEndpoints,
  entitlements: entitlementEndpoints,
  groups: groupEndpoints,
  ownPasskeys: ownPasskeyEndpoints,
  userPasskeys: userPasskeyEndpoints,
  users: userEndpoints,
} satisfies Record<string, Forwarded[]>;

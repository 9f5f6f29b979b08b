import { contractsOf } from '../contract.js';
import * as accessRequests from './access-requests.js';
import * as access from './access.js';
import * as appsAdmin from './apps-admin.js';
import * as apps from './apps.js';
import * as assignments from './assignments.js';
import * as entitlements from './entitlements.js';
import * as groups from './groups.js';
import * as invitations from './invitations.js';
import * as makerRights from './maker-rights.js';
import * as organizationAdmin from './organization-admin.js';
import * as organizationDeletion from './organization-deletion.js';
import * as organizationMoves from './organization-moves.js';
import * as organizationShards from './organization-shards.js';
import * as organizations from './organizations.js';
import * as people from './people.js';
import * as personPasskeys from './person-passkeys.js';
import * as personSignIn from './person-sign-in.js';
import * as rpIdAdmin from './rp-id-admin.js';

/** Every contract that directory handles. */
export const directoryContracts = contractsOf(
  accessRequests,
  access,
  appsAdmin,
  apps,
  assignments,
  entitlements,
  groups,
  invitations,
  makerRights,
  organizationAdmin,
  organizationDeletion,
  organizationMoves,
  organizationShards,
  organizations,
  people,
  personPasskeys,
  personSignIn,
  rpIdAdmin,
);

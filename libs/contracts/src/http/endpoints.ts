import { analyticsEndpoints } from '../audit/analytics.http.js';
import { auditEventEndpoints } from '../audit/audit-events.http.js';
import { auditExportEndpoints } from '../audit/exports.http.js';
import { auditProofEndpoints } from '../audit/proofs.http.js';
import { issuerKeyEndpoints } from '../auth/issuer-keys.http.js';
import { personSessionEndpoints } from '../auth/person-sessions.http.js';
import { sessionEndpoints } from '../auth/sessions.http.js';
import { accessRequestEndpoints } from '../directory/access-requests.http.js';
import { accountEndpoints, ownPasskeyEndpoints } from '../directory/account.http.js';
import { appEndpoints } from '../directory/apps-admin.http.js';
import { assignmentEndpoints } from '../directory/assignments.http.js';
import { entitlementEndpoints } from '../directory/entitlements.http.js';
import { groupEndpoints } from '../directory/groups.http.js';
import { organizationEndpoints } from '../directory/organization-admin.http.js';
import { userEndpoints } from '../directory/people.http.js';
import { userPasskeyEndpoints } from '../directory/person-passkeys.http.js';
import { receiverEndpoints } from '../directory/receivers.http.js';
import { rpIdEndpoints } from '../directory/rp-id-admin.http.js';
import { credentialTypeEndpoints } from '../issuance/credential-types.http.js';
import { credentialEndpoints } from '../issuance/credentials.http.js';
import { adminOfferEndpoints, offerEndpoints } from '../issuance/offers.http.js';
import { presencePolicyEndpoints } from '../issuance/presence.http.js';
import { auditDestinationEndpoints } from '../signals/audit-destinations.http.js';
import { eventEndpoints } from '../signals/events.http.js';
import { ssfStreamEndpoints } from '../signals/ssf-admin.http.js';
import { ssfEndpoints } from '../signals/ssf.http.js';
import { webhookMessageEndpoints } from '../signals/webhook-messages.http.js';
import { webhookEndpoints } from '../signals/webhooks.http.js';
import { subjectEndpoints } from '../subjects/subjects.http.js';
import type { Forwarded } from './forwarded.js';

/** The endpoints that the gateway serves by one request to a service, by area. */
export const forwardedEndpoints = {
  accessRequests: accessRequestEndpoints,
  account: accountEndpoints,
  adminOffers: adminOfferEndpoints,
  analytics: analyticsEndpoints,
  apps: appEndpoints,
  assignments: assignmentEndpoints,
  auditDestinations: auditDestinationEndpoints,
  auditEvents: auditEventEndpoints,
  auditExports: auditExportEndpoints,
  auditProofs: auditProofEndpoints,
  credentialTypes: credentialTypeEndpoints,
  credentials: credentialEndpoints,
  entitlements: entitlementEndpoints,
  events: eventEndpoints,
  groups: groupEndpoints,
  issuerKeys: issuerKeyEndpoints,
  customerSessions: sessionEndpoints,
  offers: offerEndpoints,
  organization: organizationEndpoints,
  ownPasskeys: ownPasskeyEndpoints,
  personSessions: personSessionEndpoints,
  presencePolicy: presencePolicyEndpoints,
  receivers: receiverEndpoints,
  rpId: rpIdEndpoints,
  ssf: ssfEndpoints,
  ssfStreams: ssfStreamEndpoints,
  subjects: subjectEndpoints,
  userPasskeys: userPasskeyEndpoints,
  users: userEndpoints,
  webhookMessages: webhookMessageEndpoints,
  webhooks: webhookEndpoints,
} satisfies Record<string, Forwarded[]>;

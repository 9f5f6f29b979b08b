import { appEndpoints } from '../directory/apps-admin.http.js';
import { groupEndpoints } from '../directory/groups.http.js';
import { credentialEndpoints } from '../issuance/credentials.http.js';
import { adminOfferEndpoints, offerEndpoints } from '../issuance/offers.http.js';
import { subjectEndpoints } from '../subjects/subjects.http.js';
import type { Forwarded } from './forwarded.js';

/** The endpoints that the gateway serves by one request to a service, by area. */
export const forwardedEndpoints = {
  adminOffers: adminOfferEndpoints,
  apps: appEndpoints,
  credentials: credentialEndpoints,
  groups: groupEndpoints,
  offers: offerEndpoints,
  subjects: subjectEndpoints,
} satisfies Record<string, Forwarded[]>;

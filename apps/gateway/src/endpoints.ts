import { listAuditEntriesEndpoint } from './admin/audit/audit-entries.controller.js';
import { getAuditEventEndpoint, listAuditEventsEndpoint } from './admin/audit/audit-events.controller.js';
import {
  getAuditCheckpointEndpoint,
  getAuditConsistencyEndpoint,
  getAuditKeysEndpoint,
  getAuditProofEndpoint,
} from './admin/audit/audit-proofs.controller.js';
import {
  getAuditTileEndpoint,
  getAuditTileFurtherPartEndpoint,
  getAuditTilePartEndpoint,
} from './admin/audit/audit-tiles.controller.js';
import { listEventsEndpoint } from './admin/events/events.controller.js';
import { claimEndpoint, claimOptionsEndpoint, completeClaimEndpoint } from './claim/claim.controller.js';
import {
  getIssuedEndpoint,
  resumeCredentialEndpoint,
  revokeCredentialEndpoint,
  suspendCredentialEndpoint,
} from './credentials/issued.controller.js';
import { createOfferEndpoint, withdrawOfferEndpoint } from './credentials/offers.controller.js';
import { eraseSubjectEndpoint, getSubjectEndpoint, listSubjectsEndpoint } from './credentials/subjects.controller.js';
import { assetEndpoint, docsEndpoint, errorsEndpoint, openApiEndpoint } from './docs/docs.controller.js';
import type { Endpoint } from './endpoints/endpoint.js';
import { healthEndpoint, readyEndpoint } from './health/health.controller.js';
import { issuerEndpoints } from './issuer/issuer-endpoints.js';
import { metadataEndpoint, tokenEndpoint } from './issuer/platform-issuer.controller.js';
import { apiMetadataEndpoint, resourceMetadataEndpoint } from './issuer/resource-metadata.controller.js';
import { claimPageEndpoint, faviconEndpoint, pageAssetEndpoint, signInPageEndpoint } from './pages/pages.controller.js';
import { relatedOriginsEndpoint } from './pages/related-origins.controller.js';
import { presenceChallengeEndpoint, presencePreflightEndpoint } from './presence/presence.controller.js';
import { widgetEndpoint } from './presence/widget.controller.js';

/** Every endpoint of the one public door, in the order of the reference. A route that is not here cannot be served. */
export const endpoints: readonly Endpoint[] = [
  tokenEndpoint,
  createOfferEndpoint,
  withdrawOfferEndpoint,
  listSubjectsEndpoint,
  getSubjectEndpoint,
  eraseSubjectEndpoint,
  getIssuedEndpoint,
  suspendCredentialEndpoint,
  resumeCredentialEndpoint,
  revokeCredentialEndpoint,
  claimEndpoint,
  claimOptionsEndpoint,
  completeClaimEndpoint,
  presenceChallengeEndpoint,
  presencePreflightEndpoint,
  widgetEndpoint,
  listAuditEventsEndpoint,
  getAuditEventEndpoint,
  getAuditProofEndpoint,
  getAuditCheckpointEndpoint,
  getAuditConsistencyEndpoint,
  getAuditKeysEndpoint,
  getAuditTileEndpoint,
  getAuditTilePartEndpoint,
  getAuditTileFurtherPartEndpoint,
  listAuditEntriesEndpoint,
  listEventsEndpoint,
  ...issuerEndpoints,
  claimPageEndpoint,
  signInPageEndpoint,
  pageAssetEndpoint,
  faviconEndpoint,
  relatedOriginsEndpoint,
  metadataEndpoint,
  resourceMetadataEndpoint,
  apiMetadataEndpoint,
  openApiEndpoint,
  docsEndpoint,
  errorsEndpoint,
  assetEndpoint,
  healthEndpoint,
  readyEndpoint,
];

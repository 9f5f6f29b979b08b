import { readAnalytics } from './analytics.js';
import {
  appendRecords,
  auditCheckpoint,
  auditConsistency,
  auditProof,
  auditTile,
  auditVerifierKeys,
  countDeniedRequests,
  exportAuditEntries,
  followAuditEvents,
  getAuditEvent,
  listAuditEvents,
  recordOperatorRead,
} from './audit.js';

/** Every contract that audit handles. */
export const auditContracts = [
  appendRecords,
  countDeniedRequests,
  recordOperatorRead,
  listAuditEvents,
  getAuditEvent,
  followAuditEvents,
  auditCheckpoint,
  auditVerifierKeys,
  auditProof,
  auditConsistency,
  auditTile,
  exportAuditEntries,
  readAnalytics,
] as const;

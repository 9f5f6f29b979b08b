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
  listAuditLogs,
  recordOperatorRead,
} from './audit.js';

/** Every contract that audit handles. */
export const auditContracts = [
  appendRecords,
  countDeniedRequests,
  recordOperatorRead,
  listAuditEvents,
  listAuditLogs,
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

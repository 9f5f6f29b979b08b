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
] as const;

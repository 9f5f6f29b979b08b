import {
  appendRecords,
  auditCheckpoint,
  auditConsistency,
  auditProof,
  auditTile,
  auditVerifierKeys,
  countDeniedRequests,
  exportAuditEntries,
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
  auditCheckpoint,
  auditVerifierKeys,
  auditProof,
  auditConsistency,
  auditTile,
  exportAuditEntries,
] as const;

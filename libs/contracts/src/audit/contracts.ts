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
  recordReading,
} from './audit.js';

/** Every contract that audit handles. */
export const auditContracts = [
  appendRecords,
  countDeniedRequests,
  recordReading,
  listAuditEvents,
  getAuditEvent,
  auditCheckpoint,
  auditVerifierKeys,
  auditProof,
  auditConsistency,
  auditTile,
  exportAuditEntries,
] as const;

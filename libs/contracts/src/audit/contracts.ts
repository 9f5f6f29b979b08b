import {
  appendRecords,
  auditCheckpoint,
  auditConsistency,
  auditProof,
  auditTile,
  auditVerifierKeys,
  countRefusals,
  exportAuditEntries,
  getAuditEvent,
  listAuditEvents,
  recordReading,
} from './audit.js';

/** Every contract that audit answers. */
export const auditContracts = [
  appendRecords,
  countRefusals,
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

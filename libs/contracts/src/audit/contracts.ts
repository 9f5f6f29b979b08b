import { readAnalytics } from './analytics.js';
import {
  appendRecords,
  countDeniedRequests,
  followAuditEvents,
  getAuditEvent,
  listAuditEvents,
  listAuditLogs,
  recordOperatorRead,
} from './audit.js';
import { createAuditReader, deleteAuditReader, listAuditReaders, rewindAuditReader } from './entry-stream.js';
import { exportAuditEntries } from './exported-entries.js';
import {
  createAuditExport,
  deleteAuditExport,
  getAuditExport,
  listAuditExports,
  openAuditExportFile,
  readAuditExportFile,
} from './exports.js';
import { auditCheckpoint, auditConsistency, auditProof, auditTile, auditVerifierKeys } from './proofs.js';

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
  createAuditExport,
  deleteAuditExport,
  listAuditExports,
  getAuditExport,
  openAuditExportFile,
  readAuditExportFile,
  createAuditReader,
  listAuditReaders,
  rewindAuditReader,
  deleteAuditReader,
] as const;

import { http } from '../http/forwarded.js';
import { checkpoint } from './audit-examples.js';
import type { AuditTarget } from './audit-record.js';
import { createAuditExport, deleteAuditExport, getAuditExport, listAuditExports, type AuditExport } from './exports.js';

const tag = 'Admin API: audit';
const operation = 'audit:export';
const path = '/o/{shortId}/api/admin/audit/exports';

const exportTarget = (id: string): AuditTarget => ({ type: 'audit_export', id });

const queued: AuditExport = {
  id: '019aa5f2-7c1f-7d10-8c3e-5a6b7c8d9e01',
  state: 'queued',
  format: 'csv',
  from: '2026-11-01T00:00:00.000Z',
  filter: { action: 'credential.revoke' },
  proof: false,
  requestedBy: { type: 'app', id: 'app_2VwT9Qm1xKc7LrZ4bNd8Ya' },
  createdAt: '2026-11-21T09:30:00.000Z',
  entries: 0,
  bytes: 0,
  downloads: 0,
};
const ready: AuditExport = {
  ...queued,
  state: 'ready',
  finishedAt: '2026-11-21T09:30:02.000Z',
  expiresAt: '2026-11-28T09:30:02.000Z',
  progress: { seq: 3, size: 3 },
  entries: 1,
  bytes: 512,
  sha256: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
  checkpoint,
};

export const auditExportEndpoints = [
  http(createAuditExport, {
    id: 'createAuditExport',
    method: 'POST',
    path,
    tag,
    summary: 'Export the audit log to a file',
    description:
      'Begins an export of what the log has at this moment. It is written in the background: wait for its state ' +
      '`ready`, or for the event `audit.export.ready`, then download the file. With `proof` the file has the whole ' +
      'log as `holdfast audit verify` reads it. An organization may have two exports that are not finished, and 20 ' +
      'files. The erasure of a customer or person deletes all files that were made before. See docs/audit-exports.md.',
    operation,
    // The file is everything that the log has, also after the session.
    stepUp: true,
    action: 'audit.export.create',
    body: 'export',
    bodies: {
      filtered: {
        summary: 'Revocations since the beginning of November, for a spreadsheet',
        value: { format: 'csv', from: queued.from, filter: queued.filter },
      },
      verifiable: { summary: 'The whole log with its proof', value: { format: 'ndjson', proof: true } },
    },
    status: 202,
    response: 'The export is queued',
    member: 'export',
    example: queued,
    targets: (_, outcome) => (outcome ? [exportTarget(outcome.reply.export.id)] : []),
    location: {
      of: 'the export',
      path: ({ params: { shortId } }, { export: created }) => `/o/${shortId}/api/admin/audit/exports/${created.id}`,
    },
  }),
  http(listAuditExports, {
    id: 'listAuditExports',
    method: 'GET',
    path,
    tag,
    summary: 'List exports of the audit log',
    description: 'Newest first. An export stays in the list for 13 months after its file was deleted.',
    operation,
    action: 'audit.export.list',
    response: 'A page of exports',
    page: 'AuditExportPage',
    example: ready,
    targets: () => [],
  }),
  http(getAuditExport, {
    id: 'getAuditExport',
    method: 'GET',
    path: `${path}/{id}`,
    tag,
    summary: 'Get an export of the audit log',
    operation,
    action: 'audit.export.read',
    response: 'The export',
    example: ready,
    targets: ({ params: { id } }, outcome) => (outcome ? [exportTarget(id)] : []),
  }),
  http(deleteAuditExport, {
    id: 'deleteAuditExport',
    method: 'DELETE',
    path: `${path}/{id}`,
    tag,
    summary: 'Cancel an export, or delete its file',
    description: 'An export that is not finished is canceled. Downloads in progress end.',
    operation,
    noStepUp: 'it only ends access to the file',
    action: 'audit.export.delete',
    status: 204,
    response: 'The export has no file',
    targets: ({ params: { id } }) => [exportTarget(id)],
  }),
];

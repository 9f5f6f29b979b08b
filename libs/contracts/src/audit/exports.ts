import { z } from 'zod';
import { actorSchema } from '../context.js';
import { command, idempotentCommand, query } from '../contract.js';
import { instant, pageLimit, uuid } from '../fields.js';
import { auditFilterSchema } from './audit.js';

/** `key` is the format's name in the API; the media type and the ending of the name are those of the file. */
export const auditExportFormats = {
  ndjson: { mediaType: 'application/x-ndjson', extension: 'ndjson' },
  csv: { mediaType: 'text/csv; charset=utf-8', extension: 'csv' },
  ocsf: { mediaType: 'application/x-ndjson', extension: 'ocsf.ndjson' },
} as const;
export type AuditExportFormat = keyof typeof auditExportFormats;
const formatNames = Object.keys(auditExportFormats) as [AuditExportFormat, ...AuditExportFormat[]];

const auditExportStates = ['queued', 'running', 'ready', 'failed', 'canceled', 'expired'] as const;
export type AuditExportState = (typeof auditExportStates)[number];

/** Why an export has no file. */
const auditExportReasons = [
  'age',
  'deleted',
  'erasure',
  'restore',
  'too_large',
  'broken_log',
  'maker',
  'internal',
] as const;

const { from, to } = auditFilterSchema.shape;
const exportFilterSchema = auditFilterSchema.omit({ from: true, to: true });

const choice = {
  format: z
    .enum(formatNames)
    .describe('`ndjson`: one JSON object a line; `csv`: RFC 4180; `ocsf`: events of OCSF 1.3.0, one a line'),
  from: from.describe('Only what happened at this time or later, RFC 3339'),
  to: to.describe('Only what happened before this time, RFC 3339'),
  filter: exportFilterSchema.optional().describe('Only matching events, as in the list of events'),
};

const newAuditExportSchema = z
  .strictObject({
    ...choice,
    proof: z
      .boolean()
      .default(false)
      .describe('The whole log as `holdfast audit verify` reads it. With `ndjson` only, and without any filter'),
  })
  .refine(({ proof, format }) => !proof || format === 'ndjson', {
    message: 'must be ndjson when proof is true: the verifier reads no other format',
    path: ['format'],
  })
  .refine(({ proof, from: since, to: until, filter }) => !proof || !(since ?? until ?? filter), {
    message: 'cannot be true with from, to or filter: what is left out would look as if it had been removed',
    path: ['proof'],
  });
export type NewAuditExport = z.output<typeof newAuditExportSchema>;

const id = uuid.describe('The export');
const auditExportSchema = z
  .strictObject({
    id,
    state: z.enum(auditExportStates).describe('Only a `ready` one has a file'),
    reason: z
      .enum(auditExportReasons)
      .optional()
      .describe(
        'Why it failed or expired. `maker`: who requested it lost the right before it was ready. `erasure`: a ' +
          'customer or person was erased after it was made, so the file was deleted; delete your copies as well',
      ),
    ...choice,
    proof: z.boolean().describe('Whether the file can be verified'),
    requestedBy: actorSchema
      .pick({ type: true, id: true })
      .partial({ id: true })
      .describe('Who requested it; a person who was removed has no id'),
    createdAt: instant.describe('When it was requested'),
    finishedAt: instant.optional().describe('When it became ready, failed, was canceled or expired'),
    expiresAt: instant.optional().describe('When the file is deleted'),
    progress: z
      .strictObject({
        seq: z.int().describe('Up to this `seq` the log has been read'),
        size: z.int().describe('The last `seq` of the export: the size of the log when the export began'),
      })
      .optional()
      .describe('Absent until it begins'),
    entries: z.int().describe('Entries in the file so far'),
    bytes: z.int().describe('Size of the file so far'),
    sha256: z.string().optional().describe('SHA-256 of the file, in hexadecimal; present when it is ready'),
    checkpoint: z.string().optional().describe('Signed note (c2sp.org/tlog-checkpoint) of the log that was exported'),
    downloads: z
      .int()
      .describe('How often the beginning of the file was requested: a download in several ranges counts once'),
    downloadedAt: instant.optional().describe('When the file, or a range of it, was requested last'),
  })
  .meta({ id: 'AuditExport' });
export type AuditExport = z.infer<typeof auditExportSchema>;

const auditExportCursorSchema = z.strictObject({ createdAt: instant, id: uuid });

export const createAuditExport = idempotentCommand({
  service: 'audit',
  name: 'create-export',
  callers: ['gateway'],
  request: z.strictObject({ export: newAuditExportSchema }),
  reply: z.strictObject({ export: auditExportSchema }),
  errors: ['conflict'],
});

/** Cancels it, or deletes its file. Afterwards it is `canceled` or `expired`, and nobody can read the file. */
export const deleteAuditExport = idempotentCommand({
  service: 'audit',
  name: 'delete-export',
  callers: ['gateway'],
  request: z.strictObject({ id }),
  reply: z.strictObject({ changed: z.boolean() }),
  errors: ['unknown_export'],
});

export const listAuditExports = query({
  service: 'audit',
  name: 'list-exports',
  callers: ['gateway'],
  request: z.strictObject({ limit: pageLimit, after: auditExportCursorSchema.optional() }),
  reply: z.strictObject({ items: z.array(auditExportSchema), next: auditExportCursorSchema.optional() }),
});

export const getAuditExport = query({
  service: 'audit',
  name: 'get-export',
  callers: ['gateway'],
  request: z.strictObject({ id }),
  reply: auditExportSchema,
  errors: ['unknown_export'],
});

/** Counts a download, if it begins at the first byte of the file. @throws invalid_state when there is no file */
export const openAuditExportFile = command({
  service: 'audit',
  name: 'open-export-file',
  callers: ['gateway'],
  request: z.strictObject({ id, first: z.int().min(0).default(0).describe('The first byte that is requested') }),
  reply: auditExportSchema,
  errors: ['unknown_export', 'invalid_state'],
});

/** At most 256 KiB of a file. A message of the bus may have a million bytes. */
export const readAuditExportFile = query({
  service: 'audit',
  dividedByOrganization: true,
  name: 'read-export-file',
  callers: ['gateway'],
  request: z.strictObject({ id, offset: z.int().min(0) }),
  // No z.base64(): its regular expression would cost more than everything else.
  reply: z.strictObject({ data: z.string().describe('Base64. Not empty') }),
  errors: ['unknown_export', 'invalid_state'],
});

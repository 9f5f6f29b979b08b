import { Readable } from 'node:stream';
import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  auditExportFormats,
  getAuditExport,
  openAuditExportFile,
  readAuditExportFile,
  shortId,
  uuid,
  type AuditExport,
  type AuditTarget,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { AppError } from '@holdfast/platform';
import { ContinuedAccess } from '../../../access/continued-access.js';
import { recordWithTargets } from '../../../edge/recording.js';
import { contextOf } from '../../../edge/request-context.js';
import { Route } from '../../../endpoints/route.js';
import { Input } from '../../../requests/input.js';
import { AuditStreams } from '../audit-streams.js';
import { FollowRecords } from '../follow-records.js';
import { byteRangeOf, type ByteRange } from './byte-range.js';
import { exportFileStream } from './export-file-stream.js';

const operation = 'audit:export';
const action = 'audit.export.download';
const headers = {
  ETag: 'The SHA-256 of the file, for `If-Range`',
  'Accept-Ranges': '`bytes`',
  'Content-Disposition': 'A name for the file',
};

const downloadAuditExportEndpoint = endpoint({
  id: 'downloadAuditExport',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/exports/{id}/file',
  tag: 'Admin API: audit',
  summary: 'Download the file of an export',
  description:
    'The whole file, or one range of it (`Range`, `If-Range`; RFC 9110). A connection that breaks before its end ' +
    'means that the server has stopped, the token has expired, or the file was deleted: continue with `Range`. ' +
    'Downloading a file is recorded once an hour.',
  operation,
  action,
  params: z.strictObject({ shortId, id: uuid.describe('The export') }),
  responses: {
    200: {
      description: 'The file',
      media: [...new Set(Object.values(auditExportFormats).map(({ mediaType }) => mediaType.split(';')[0]!))],
      headers,
    },
    206: {
      description: 'The requested range',
      media: [...new Set(Object.values(auditExportFormats).map(({ mediaType }) => mediaType.split(';')[0]!))],
      headers: { ...headers, 'Content-Range': 'Which bytes these are' },
    },
  },
  errors: ['unknown_export', 'invalid_state', 'range_not_satisfiable'],
});

@Controller()
export class AuditExportFileController {
  constructor(
    private readonly bus: Bus,
    private readonly downloads: AuditStreams,
    private readonly records: FollowRecords,
    private readonly access: ContinuedAccess,
  ) {}

  @Route(downloadAuditExportEndpoint)
  async download(
    @Input() { params: { id } }: InputOf<typeof downloadAuditExportEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<Readable> {
    const targets: AuditTarget[] = [{ type: 'audit_export', id }];
    recordWithTargets(request, targets);
    const context = contextOf(request);
    const found = await this.bus.request(getAuditExport, { id }, context);
    // Without a file there is no range, and audit says below what the state of the export means.
    const range = found.state === 'ready' ? requestedRange(request, reply, found) : undefined;
    const signal = this.downloads.open(request, reply);
    const file = await this.bus.request(openAuditExportFile, { id, first: range?.first ?? 0 }, context);
    await this.records.record(request, action, { id }, targets);
    request.requestContext.streamedAtMs = performance.now();
    const { first, last } = range ?? { first: 0, last: file.bytes - 1 };
    void reply
      .code(range ? 206 : 200)
      .type(auditExportFormats[file.format].mediaType)
      .headers({
        etag: etagOf(file),
        'accept-ranges': 'bytes',
        'content-length': String(last - first + 1),
        'content-disposition': `attachment; filename="${nameOf(context.org, file)}"`,
        ...(range && { 'content-range': `bytes ${first}-${last}/${file.bytes}` }),
      });
    return Readable.from(
      exportFileStream({
        range: { first, last },
        read: async (offset) => {
          const { data } = await this.bus.request(readAuditExportFile, { id, offset }, context);
          return Buffer.from(data, 'base64');
        },
        require: () => this.access.require(request, operation),
        signal,
        disconnect: () => reply.raw.destroy(),
      }),
      { objectMode: false },
    );
  }
}

/** @throws range_not_satisfiable */
function requestedRange(request: FastifyRequest, reply: FastifyReply, file: AuditExport): ByteRange | undefined {
  const { range: header, 'if-range': ifRange } = request.headers;
  // RFC 9110 §13.1.5: of another version of the file a range is worth nothing. A date is never a strong validator here.
  if (ifRange !== undefined && ifRange !== etagOf(file)) return undefined;
  const range = byteRangeOf(header, file.bytes);
  if (range !== 'unsatisfiable') return range;
  void reply.header('content-range', `bytes */${file.bytes}`);
  throw new AppError('range_not_satisfiable', `The file has ${file.bytes} bytes.`);
}

function etagOf({ sha256 }: AuditExport): string {
  return `"${sha256}"`;
}

function nameOf(org: string, { id, format, createdAt }: AuditExport): string {
  return `audit-${org}-${createdAt.slice(0, 10)}-${id.slice(-6)}.${auditExportFormats[format].extension}`;
}

import { Controller } from '@nestjs/common';
import {
  createAuditExport,
  deleteAuditExport,
  getAuditExport,
  listAuditExports,
  openAuditExportFile,
  readAuditExportFile,
  type ReplyOf,
  type RequestContext,
  type RequestOf,
} from '@holdfast/contracts';
import { Handles } from '@holdfast/messaging';
import { Idempotency } from '@holdfast/outbox';
import { ExportChunks } from './export-chunks.js';
import { Exports } from './exports.js';

/** Exports of the log as files. */
@Controller()
export class ExportsHandler {
  constructor(
    private readonly exports: Exports,
    private readonly chunks: ExportChunks,
    private readonly idempotency: Idempotency,
  ) {}

  @Handles(createAuditExport)
  create(
    request: RequestOf<typeof createAuditExport>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof createAuditExport>> {
    return this.idempotency.once(createAuditExport, request, context, (keyed) =>
      this.exports.create(request.export, context, keyed),
    );
  }

  @Handles(deleteAuditExport)
  delete(
    request: RequestOf<typeof deleteAuditExport>,
    context: RequestContext,
  ): Promise<ReplyOf<typeof deleteAuditExport>> {
    return this.idempotency.once(deleteAuditExport, request, context, (keyed) =>
      this.exports.end(request.id, context, keyed),
    );
  }

  @Handles(listAuditExports)
  list(
    { limit, after }: RequestOf<typeof listAuditExports>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof listAuditExports>> {
    return this.exports.list(org, limit, after);
  }

  @Handles(getAuditExport)
  get({ id }: RequestOf<typeof getAuditExport>, { org }: RequestContext): Promise<ReplyOf<typeof getAuditExport>> {
    return this.exports.get(org, id);
  }

  @Handles(openAuditExportFile)
  open(
    { id, first }: RequestOf<typeof openAuditExportFile>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof openAuditExportFile>> {
    return this.exports.open(org, id, first);
  }

  @Handles(readAuditExportFile)
  async read(
    { id, offset }: RequestOf<typeof readAuditExportFile>,
    { org }: RequestContext,
  ): Promise<ReplyOf<typeof readAuditExportFile>> {
    return { data: (await this.chunks.read(org, id, offset)).toString('base64') };
  }
}

import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  auditExportCursorSchema,
  auditExportSchema,
  createAuditExport,
  deleteAuditExport,
  getAuditExport,
  listAuditExports,
  newAuditExportSchema,
  shortId,
  uuid,
  type AuditExport,
} from '@holdfast/contracts';
import {
  endpoint,
  limitParameter,
  pageExample,
  pageSchema,
  pageTokenParameter,
  type InputOf,
} from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { Route } from '../../../endpoints/route.js';
import { Input } from '../../../requests/input.js';
import { keyOf, Resources } from '../../../requests/resources.js';
import { act } from '../../groups/group-requests.js';
import { checkpoint } from '../audit-examples.js';
import { exportTarget } from './export-target.js';

const tag = 'Admin API: audit';
const operation = 'audit:export';
const path = '/o/{shortId}/api/admin/audit/exports';
const params = z.strictObject({ shortId, id: uuid.describe('The export') });
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

const createAuditExportEndpoint = endpoint({
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
  params: z.strictObject({ shortId }),
  body: newAuditExportSchema,
  idempotent: true,
  responses: {
    202: {
      description: 'The export is queued',
      schema: auditExportSchema,
      headers: { Location: 'Address of the export' },
    },
  },
  errors: ['conflict', 'payload_too_large', 'unsupported_media_type'],
  examples: {
    body: {
      filtered: {
        summary: 'Revocations since the beginning of November, for a spreadsheet',
        value: { format: 'csv', from: queued.from, filter: queued.filter },
      },
      verifiable: { summary: 'The whole log with its proof', value: { format: 'ndjson', proof: true } },
    },
    response: queued,
  },
});

const listAuditExportsEndpoint = endpoint({
  id: 'listAuditExports',
  method: 'GET',
  path,
  tag,
  summary: 'List exports of the audit log',
  description: 'Newest first. An export stays in the list for 13 months after its file was deleted.',
  operation,
  action: 'audit.export.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({ limit: limitParameter, next_page_token: pageTokenParameter }),
  responses: {
    200: { description: 'A page of exports', schema: pageSchema(auditExportSchema).meta({ id: 'AuditExportPage' }) },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(ready) },
});

const getAuditExportEndpoint = endpoint({
  id: 'getAuditExport',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Get an export of the audit log',
  operation,
  action: 'audit.export.read',
  params,
  responses: { 200: { description: 'The export', schema: auditExportSchema } },
  errors: ['unknown_export'],
  examples: { response: ready },
});

const deleteAuditExportEndpoint = endpoint({
  id: 'deleteAuditExport',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Cancel an export, or delete its file',
  description: 'An export that is not finished is canceled. Downloads in progress end.',
  operation,
  noStepUp: 'it only ends access to the file',
  action: 'audit.export.delete',
  params,
  idempotent: true,
  responses: { 204: { description: 'The export has no file' } },
  errors: ['unknown_export'],
});

@Controller()
export class AuditExportsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(createAuditExportEndpoint)
  async create(
    @Input() input: InputOf<typeof createAuditExportEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditExport> {
    const command = { export: input.body, ...keyOf(input) };
    const { export: created } = await act(this.resources, [request, reply], [createAuditExport, command], []);
    request.requestContext.targets = [exportTarget(created.id)];
    void reply.header('location', `/o/${input.params.shortId}/api/admin/audit/exports/${created.id}`);
    return created;
  }

  @Route(listAuditExportsEndpoint)
  list(@Input() { query }: InputOf<typeof listAuditExportsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    return this.resources.list(request, query, auditExportCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(listAuditExports, { limit, ...(after && { after }) }, context),
    );
  }

  @Route(getAuditExportEndpoint)
  get(
    @Input() { params: { id } }: InputOf<typeof getAuditExportEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<AuditExport> {
    return this.resources.read(request, getAuditExport, { id }, () => [exportTarget(id)]);
  }

  @Route(deleteAuditExportEndpoint)
  async delete(
    @Input() input: InputOf<typeof deleteAuditExportEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { id } = input.params;
    await act(this.resources, [request, reply], [deleteAuditExport, { id, ...keyOf(input) }], [exportTarget(id)]);
  }
}

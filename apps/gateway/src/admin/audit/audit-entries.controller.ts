import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditBrokenSchema, auditLateMs, exportAuditEntries, exportedEntrySchema, shortId } from '@holdfast/contracts';
import { auditExamples, endpoint, wholeNumber, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { unavailable } from '@holdfast/platform';
import { recordWithTargets } from '../../edge/recording.js';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';

export const listAuditEntriesEndpoint = endpoint({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/entries',
  tag: 'Admin API: audit',
  summary: 'Export the log as it can be verified',
  description:
    'The entries of the log in order, up to the checkpoint in the response: exact bytes, hashes, and the pseudonym ' +
    'mappings and personal values that the log still has. `holdfast audit export` and `holdfast audit verify` use ' +
    'it. A large page ends early: while `hasMore` is true, continue with `after` set to its last `seq`. A log that ' +
    'does not continue its last checkpoint is broken and can no longer be signed: the response is 503 with the ' +
    'reason. `broken=include` still returns the entries up to that checkpoint, to find out what was changed.',
  operation: 'audit:export',
  action: 'audit.export',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('Only entries after this `seq`; 0 is the beginning'),
    limit: wholeNumber(1, 500).default(100).describe('Number of entries to return, 1 to 500'),
    broken: z
      .enum(['include'])
      .optional()
      .describe('Also export a broken log, up to its last signed checkpoint; the response then has `broken`'),
  }),
  responses: {
    200: {
      description: 'A page of entries',
      schema: z
        .strictObject({
          items: z.array(exportedEntrySchema).describe('Oldest first'),
          checkpoint: z.string().describe('Signed note (c2sp.org/tlog-checkpoint) that covers these entries'),
          hasMore: z.boolean().describe('Whether the checkpoint covers entries after these'),
          lateMs: auditLateMs.optional(),
          broken: auditBrokenSchema.optional().describe('Why the log can no longer be signed'),
        })
        .meta({ id: 'AuditEntryPage' }),
    },
  },
  examples: { response: { items: [auditExamples.entry], checkpoint: auditExamples.checkpoint, hasMore: false } },
});

@Controller()
export class AuditEntriesController {
  constructor(private readonly bus: Bus) {}

  @Route(listAuditEntriesEndpoint)
  async list(
    @Input() { query }: InputOf<typeof listAuditEntriesEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    recordWithTargets(request, []);
    const { broken: includeBroken, ...range } = query;
    const { entries, ...page } = await this.bus.request(exportAuditEntries, range, contextOf(request));
    // Without this error, a reader who follows the log would not notice that no further entries will be signed.
    if (page.broken && includeBroken === undefined)
      throw unavailable(
        `The audit log is broken and can no longer be signed: ${page.broken.detail}. Verify it with ` +
          '"holdfast audit verify", or read what was signed before with broken=include.',
        60,
      );
    return { items: entries, ...page };
  }
}

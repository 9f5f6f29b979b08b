import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditBrokenSchema, auditLateMs, exportAuditEntries, exportedEntrySchema, shortId } from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { unavailable } from '@holdfast/platform';
import { contextOf } from '../../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../endpoints/input.js';

const wholeNumber = (from: number, to: number) => {
  const says = `must be a whole number from ${from} to ${to}`;
  return z
    .string()
    .regex(/^(0|[1-9]\d{0,15})$/, says)
    .transform(Number)
    .refine((n) => n >= from && n <= to, says)
    .meta({ parameter: { type: 'integer', minimum: from, maximum: to } });
};

export const listAuditEntriesEndpoint = endpoint({
  id: 'listAuditEntries',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/entries',
  tag: 'Admin API: audit',
  summary: 'Export the log as it can be verified',
  description:
    'The log in its own order, up to the checkpoint that comes along: exact bytes, hashes, and what the log still knows of pseudonyms and personal values. `holdfast audit export` and `holdfast audit verify` read it. A page ends early when it gets large; go on `after` its last `seq` while `hasMore`. Of a log that does not continue what was signed before, and so cannot be signed any more, the answer is 503 with the reason, unless `broken=include` asks for what was signed before: to find out what was changed.',
  operation: 'audit:export',
  action: 'audit.export',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .default(0)
      .describe('Only entries behind this place; 0 is the beginning'),
    limit: wholeNumber(1, 500).default(100).describe('Number of entries to return, 1 to 500'),
    broken: z
      .enum(['include'])
      .optional()
      .describe('Also of a broken log, up to the last checkpoint that was signed; the answer then has `broken`'),
  }),
  answers: {
    200: {
      description: 'A page of entries',
      schema: z
        .strictObject({
          items: z.array(exportedEntrySchema).describe('Oldest first'),
          checkpoint: z.string().describe('Signed note (c2sp.org/tlog-checkpoint) that covers these entries'),
          hasMore: z.boolean().describe('Whether the checkpoint covers entries behind these'),
          lateMs: auditLateMs.optional(),
          broken: auditBrokenSchema.optional().describe('The log cannot be signed any more, and why'),
        })
        .meta({ id: 'AuditEntryPage' }),
    },
  },
});

@Controller()
export class AuditEntriesController {
  constructor(private readonly bus: Bus) {}

  @Route(listAuditEntriesEndpoint)
  async list(
    @Input() { query }: InputOf<typeof listAuditEntriesEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { broken: wanted, ...range } = query;
    const { entries, ...page } = await this.bus.request(exportAuditEntries, range, contextOf(request));
    // Whoever follows the log must notice: what comes from now on is signed by nobody.
    if (page.broken && wanted === undefined)
      throw unavailable(
        `The audit log is broken and cannot be signed any more: ${page.broken.detail}. Verify it with "holdfast audit verify", or read what was signed before with broken=include.`,
        60,
      );
    return { items: entries, ...page };
  }
}

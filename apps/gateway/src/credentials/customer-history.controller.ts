import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditEventSchema, getSubject, listAuditEvents, shortId, uuid, type AuditFilter } from '@holdfast/contracts';
import {
  auditExamples,
  endpoint,
  limitParameter,
  pageExample,
  pageSchema,
  pageTokenParameter,
  type InputOf,
} from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { recordWithTargets } from '../edge/recording.js';
import { contextOf } from '../edge/request-context.js';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { Resources } from '../requests/resources.js';

const customerHistoryEndpoint = endpoint({
  id: 'getCustomerHistory',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/subjects/{subject}/history',
  tag: 'Customer credentials',
  summary: 'Get the history of a subject',
  description:
    'The events of the audit log that the customer caused or that concern them, newest first: sign-ins and why they ' +
    'were refused, claims, changes, and who read them. For people alone, since it names other apps and people.',
  // People only: an app has no right to the log of its organization by its customers.
  operation: 'customers:history',
  action: 'subject.history',
  params: z.strictObject({ shortId, subject: uuid.describe('The customer: `subject` of the offer') }),
  query: z.strictObject({ limit: limitParameter, next_page_token: pageTokenParameter }),
  responses: {
    200: { description: 'A page of events', schema: pageSchema(auditEventSchema).meta({ id: 'CustomerHistoryPage' }) },
  },
  errors: ['unknown_subject', 'invalid_page_token'],
  examples: { response: pageExample(auditExamples.auditEventExample) },
});

/** A controller of its own, because it takes a request to each of two services. */
@Controller()
export class CustomerHistoryController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(customerHistoryEndpoint)
  async get(
    @Input() { params: { shortId: _, subject }, query }: InputOf<typeof customerHistoryEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    recordWithTargets(request, []);
    await this.bus.request(getSubject, { subject }, contextOf(request));
    recordWithTargets(request, [{ type: 'customer', id: subject, dataSubject: subject }]);
    // The page token is for this customer alone.
    return this.resources.list(request, { ...query, subject }, z.int(), async ({ limit, cursor: before }, context) => {
      const page = (filter: AuditFilter) =>
        this.bus.request(listAuditEvents, { filter, limit, ...(before !== undefined && { before }) }, context);
      const [caused, concerning] = await Promise.all([page({ actor: subject }), page({ target: subject })]);
      return newest(limit, [...caused.items, ...concerning.items], caused.next ?? concerning.next);
    });
  }
}

/** The newest of both lists. What is left of them belongs to the next page, which begins after the last one here. */
function newest<Item extends { seq: number }>(limit: number, items: Item[], more: number | undefined) {
  const bySeq = [...new Map(items.map((item) => [item.seq, item])).values()].sort((a, b) => b.seq - a.seq);
  const shown = bySeq.slice(0, limit);
  const last = shown.at(-1);
  return { items: shown, next: last && (bySeq.length > limit || more !== undefined) ? last.seq : undefined };
}

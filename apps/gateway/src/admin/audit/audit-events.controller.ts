import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import { auditEventSchema, auditFilterSchema, listAuditEvents, shortId } from '@holdfast/contracts';
import {
  auditExamples,
  endpoint,
  limitParameter,
  pageExample,
  pageSchema,
  pageTokenParameter,
  wholeNumber,
  type InputOf,
} from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { ContinuedAccess } from '../../access/continued-access.js';
import { recordWithTargets } from '../../edge/recording.js';
import { Route } from '../../endpoints/route.js';
import { Input, invalidRequest } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { AuditStreams } from './audit-streams.js';
import { FollowRecords } from './follow-records.js';
import { LogReader } from './log-reader.js';

const tag = 'Admin API: audit';
const operation = 'audit:read';
const action = 'audit.list';
/** Below the time after which proxies close a connection without a response. */
const maxWaitSeconds = 20;

const listAuditEventsEndpoint = endpoint({
  id: 'listAuditEvents',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/events',
  tag,
  summary: 'List audit events',
  description:
    "The organization's audit log, newest first. Reading it is recorded in it. A page ends early when it gets large. " +
    'To follow the log, read it with `order=asc` from `after=0`, and continue with `after` set to `nextAfter`: no ' +
    'event is missing and none comes twice. With `wait` an empty page comes only after that time. Following it is ' +
    'recorded once an hour. See docs/audit-stream.md.',
  operation,
  action,
  params: z.strictObject({ shortId }),
  query: auditFilterSchema.extend({
    limit: limitParameter,
    next_page_token: pageTokenParameter,
    order: z.enum(['asc', 'desc']).default('desc').describe('By `seq`: `desc` is newest first, `asc` is oldest first'),
    after: wholeNumber(0, Number.MAX_SAFE_INTEGER)
      .optional()
      .describe('With `order=asc`: only events after this `seq`; 0, the default, is the beginning'),
    wait: wholeNumber(0, maxWaitSeconds)
      .optional()
      .describe('With `order=asc`: how many seconds to wait for an event if there is none yet'),
  }),
  responses: {
    200: {
      description: 'A page of events',
      schema: pageSchema(auditEventSchema, 'In the order of the request')
        .extend({
          nextAfter: z.int().optional().describe('With `order=asc`: where to continue, also after an empty page'),
        })
        .meta({ id: 'AuditEventPage' }),
    },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(auditExamples.auditEventExample) },
});

type ListQuery = InputOf<typeof listAuditEventsEndpoint>['query'];

/** A controller of its own, because following the log takes several requests. */
@Controller()
export class AuditEventsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
    private readonly log: LogReader,
    private readonly streams: AuditStreams,
    private readonly records: FollowRecords,
    private readonly access: ContinuedAccess,
  ) {}

  @Route(listAuditEventsEndpoint)
  list(
    @Input() { query }: InputOf<typeof listAuditEventsEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { order, after, wait, ...page } = query;
    if (order === 'asc') return this.follow(query, request, reply);
    if (after !== undefined || wait !== undefined)
      throw invalidRequest([
        { parameter: after === undefined ? 'wait' : 'after', detail: 'can be given with order=asc only' },
      ]);
    const { limit: _, next_page_token: __, ...filter } = page;
    recordWithTargets(request, []);
    return this.resources.list(request, page, z.int(), ({ limit, cursor: before }, context) =>
      this.bus.request(listAuditEvents, { filter, limit, ...(before !== undefined && { before }) }, context),
    );
  }

  private async follow(
    { order: _, after = 0, wait = 0, limit, next_page_token: token, ...filter }: ListQuery,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<unknown> {
    if (token !== undefined)
      throw invalidRequest([{ parameter: 'next_page_token', detail: 'is for order=desc; continue with after' }]);
    const reading = { filter, limit, after, named: true };
    const page =
      wait === 0
        ? await this.log.page(request, reading)
        : await this.log.nextPage(request, reading, wait * 1000, this.streams.open(request, reply));
    // The caller may have lost the right meanwhile.
    if (wait > 0) await this.access.require(request, operation);
    await this.records.record(request, action, filter);
    return { items: page.items, hasMore: page.hasMore, nextAfter: page.after };
  }
}

import { Controller, Req } from '@nestjs/common';
import type { FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  auditEventSchema,
  auditFilterSchema,
  getAuditEvent,
  listAuditEvents,
  shortId,
  uuid,
  type AuditEvent,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../requests/input.js';
import { limitParameter, pageExample, pageSchema, pageTokenParameter } from '../../requests/paging.js';
import { Resources } from '../../requests/resources.js';
import { auditEventExample } from './audit-examples.js';

const tag = 'Admin API: audit';

const listAuditEventsEndpoint = endpoint({
  id: 'listAuditEvents',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/events',
  tag,
  summary: 'List audit events',
  description:
    "The organization's audit log, newest first. Reading it is recorded in it. A page ends early when it gets large.",
  operation: 'audit:read',
  action: 'audit.list',
  params: z.strictObject({ shortId }),
  query: auditFilterSchema.extend({ limit: limitParameter, next_page_token: pageTokenParameter }),
  responses: {
    200: { description: 'A page of events', schema: pageSchema(auditEventSchema).meta({ id: 'AuditEventPage' }) },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(auditEventExample) },
});

const getAuditEventEndpoint = endpoint({
  id: 'getAuditEvent',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/events/{id}',
  tag,
  summary: 'Get an audit event',
  operation: 'audit:read',
  action: 'audit.read',
  params: z.strictObject({ shortId, id: uuid.describe('The event') }),
  responses: { 200: { description: 'The event', schema: auditEventSchema } },
  errors: ['unknown_event'],
  examples: { response: auditEventExample },
});

@Controller()
export class AuditEventsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listAuditEventsEndpoint)
  list(@Input() { query }: InputOf<typeof listAuditEventsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { limit: _, next_page_token: __, ...filter } = query;
    return this.resources.list(request, query, z.int(), ({ limit, cursor: before }, context) =>
      this.bus.request(listAuditEvents, { filter, limit, ...(before !== undefined && { before }) }, context),
    );
  }

  @Route(getAuditEventEndpoint)
  get(
    @Input() { params: { id } }: InputOf<typeof getAuditEventEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<AuditEvent> {
    return this.resources.read(request, getAuditEvent, { id }, (event) => [{ type: 'audit_event', id: event.id }]);
  }
}

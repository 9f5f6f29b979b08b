import { Controller, Inject, Req } from '@nestjs/common';
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
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../../config.js';
import { openPageToken, sealPageToken } from '../../edge/page-token.js';
import { limitParameter, pageSchema, pageTokenParameter } from '../../edge/paging.js';
import { contextOf } from '../../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../../endpoints/endpoint.js';
import { Input } from '../../endpoints/input.js';

const tag = 'Admin API: audit';

export const listAuditEventsEndpoint = endpoint({
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
  answers: {
    200: { description: 'A page of events', schema: pageSchema(auditEventSchema).meta({ id: 'AuditEventPage' }) },
  },
  errors: ['invalid_page_token'],
});

export const getAuditEventEndpoint = endpoint({
  id: 'getAuditEvent',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/events/{id}',
  tag,
  summary: 'Get an audit event',
  operation: 'audit:read',
  action: 'audit.read',
  params: z.strictObject({ shortId, id: uuid.describe('The event') }),
  answers: { 200: { description: 'The event', schema: auditEventSchema } },
  errors: ['unknown_event'],
});

@Controller()
export class AuditController {
  constructor(
    private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(listAuditEventsEndpoint)
  async list(
    @Input() { query }: InputOf<typeof listAuditEventsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const context = contextOf(request);
    const { limit, next_page_token: token, ...filter } = query;
    const scope = { org: context.org, app: context.actor.id, route: context.request.route, filter };
    const before = token === undefined ? undefined : openPageToken(this.config.PAGE_TOKEN_KEY, token, scope, z.int());
    const { items, next } = await this.bus.request(
      listAuditEvents,
      { filter, limit, ...(before !== undefined && { before }) },
      context,
    );
    return {
      items,
      hasMore: next !== undefined,
      ...(next !== undefined && { nextPageToken: sealPageToken(this.config.PAGE_TOKEN_KEY, next, scope) }),
    };
  }

  @Route(getAuditEventEndpoint)
  async get(
    @Input() { params }: InputOf<typeof getAuditEventEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<AuditEvent> {
    const event = await this.bus.request(getAuditEvent, { id: params.id }, contextOf(request));
    request.call.targets = [{ type: 'audit_event', id: event.id }];
    return event;
  }
}

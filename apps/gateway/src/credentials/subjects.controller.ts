import { Controller, HttpCode, Inject, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  eraseSubject,
  getSubject,
  listSubjects,
  shortId,
  subjectCursorSchema,
  subjectSchema,
  subjectSummarySchema,
  uuid,
  type Subject,
} from '@holdfast/contracts';
import { Bus } from '@holdfast/messaging';
import { CONFIG } from '@holdfast/service';
import type { GatewayConfig } from '../config.js';
import { openPageToken, sealPageToken } from '../edge/page-token.js';
import { limitParameter, pageSchema, pageTokenParameter } from '../edge/paging.js';
import { contextOf } from '../edge/request-context.js';
import { endpoint, Route, type InputOf } from '../endpoints/endpoint.js';
import { Input } from '../endpoints/input.js';
import { answered, keyOf } from '../endpoints/resources.js';

const tag = 'Customer credentials';
const subjectParams = z.strictObject({ shortId, subject: uuid.describe('The value returned when the offer was made') });

export const listSubjectsEndpoint = endpoint({
  id: 'listSubjects',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/subjects',
  tag,
  summary: 'List subjects',
  description: 'The customers that the calling app has made offers to, newest first.',
  operation: 'issued:read',
  action: 'subject.list',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    claimed: z
      .enum(['true', 'false'])
      .optional()
      .describe('Only customers who have (true) or have not (false) claimed a credential'),
    limit: limitParameter,
    next_page_token: pageTokenParameter,
  }),
  answers: {
    200: { description: 'A page of customers', schema: pageSchema(subjectSummarySchema).meta({ id: 'SubjectPage' }) },
  },
  errors: ['invalid_page_token'],
});

export const getSubjectEndpoint = endpoint({
  id: 'getSubject',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/subjects/{subject}',
  tag,
  summary: 'Get a subject',
  description: 'A customer with every credential issued to them.',
  operation: 'issued:read',
  action: 'subject.read',
  params: subjectParams,
  answers: { 200: { description: 'The customer', schema: subjectSchema } },
  errors: ['unknown_subject'],
});

export const eraseSubjectEndpoint = endpoint({
  id: 'eraseSubject',
  method: 'DELETE',
  path: '/o/{shortId}/api/credentials/subjects/{subject}',
  tag,
  summary: 'Erase a subject',
  description:
    'Erases the customer and everything issued to them. At the answer reads know nothing of them any more; doing it again is 404, or with the same Idempotency-Key 204 once more.',
  operation: 'issued:manage',
  action: 'subject.erase',
  idempotent: true,
  params: subjectParams,
  answers: { 204: { description: 'The customer is erased' } },
  errors: ['unknown_subject'],
});

@Controller()
export class SubjectsController {
  constructor(
    private readonly bus: Bus,
    @Inject(CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Route(listSubjectsEndpoint)
  async list(
    @Input() { query }: InputOf<typeof listSubjectsEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const context = contextOf(request);
    const { claimed, limit, next_page_token: token } = query;
    const filter = { claimed };
    const scope = { org: context.org, app: context.actor.id, route: context.request.route, filter };
    const after =
      token === undefined ? undefined : openPageToken(this.config.PAGE_TOKEN_KEY, token, scope, subjectCursorSchema);
    const { items, next } = await this.bus.request(
      listSubjects,
      { limit, ...(claimed !== undefined && { claimed: claimed === 'true' }), ...(after && { after }) },
      context,
    );
    return {
      items,
      hasMore: next !== undefined,
      ...(next && { nextPageToken: sealPageToken(this.config.PAGE_TOKEN_KEY, next, scope) }),
    };
  }

  @Route(getSubjectEndpoint)
  async get(@Input() { params }: InputOf<typeof getSubjectEndpoint>, @Req() request: FastifyRequest): Promise<Subject> {
    const { subject } = params;
    const found = await this.bus.request(getSubject, { subject }, contextOf(request));
    request.call.targets = [{ type: 'customer', id: subject, dataSubject: subject }];
    return found;
  }

  @Route(eraseSubjectEndpoint)
  @HttpCode(204)
  async erase(
    @Input() input: InputOf<typeof eraseSubjectEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const done = await this.bus.request(
      eraseSubject,
      { subject: input.params.subject, ...keyOf(input) },
      contextOf(request),
    );
    answered(done, request, reply, () => []);
  }
}

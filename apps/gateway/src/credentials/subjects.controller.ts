import { Controller, Req, Res } from '@nestjs/common';
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
import {
  endpoint,
  limitParameter,
  pageExample,
  pageSchema,
  pageTokenParameter,
  type InputOf,
} from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { Route } from '../endpoints/route.js';
import { Input } from '../requests/input.js';
import { keyOf, Resources } from '../requests/resources.js';
import { subjectExample, subjectSummaryExample } from './credential-examples.js';

const tag = 'Customer credentials';
const subjectParams = z.strictObject({ shortId, subject: uuid.describe('The customer: `subject` of the offer') });

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
  responses: {
    200: { description: 'A page of customers', schema: pageSchema(subjectSummarySchema).meta({ id: 'SubjectPage' }) },
  },
  errors: ['invalid_page_token'],
  examples: { response: pageExample(subjectSummaryExample) },
});

const getSubjectEndpoint = endpoint({
  id: 'getSubject',
  method: 'GET',
  path: '/o/{shortId}/api/credentials/subjects/{subject}',
  tag,
  summary: 'Get a subject',
  description: 'A customer with every credential issued to them.',
  operation: 'issued:read',
  action: 'subject.read',
  params: subjectParams,
  responses: { 200: { description: 'The customer', schema: subjectSchema } },
  errors: ['unknown_subject'],
  examples: { response: subjectExample },
});

const eraseSubjectEndpoint = endpoint({
  id: 'eraseSubject',
  method: 'DELETE',
  path: '/o/{shortId}/api/credentials/subjects/{subject}',
  tag,
  summary: 'Erase a subject',
  description:
    'Erases the customer and everything issued to them. After the response, no read returns them any more. A repeat ' +
    'gets 404, or 204 again with the same Idempotency-Key.',
  operation: 'issued:manage',
  action: 'subject.erase',
  idempotent: true,
  params: subjectParams,
  responses: { 204: { description: 'The customer is erased' } },
  errors: ['unknown_subject'],
});

@Controller()
export class SubjectsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(listSubjectsEndpoint)
  list(@Input() { query }: InputOf<typeof listSubjectsEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    const { claimed } = query;
    return this.resources.list(request, query, subjectCursorSchema, ({ limit, cursor: after }, context) =>
      this.bus.request(
        listSubjects,
        { limit, ...(claimed !== undefined && { claimed: claimed === 'true' }), ...(after && { after }) },
        context,
      ),
    );
  }

  @Route(getSubjectEndpoint)
  get(
    @Input() { params: { subject } }: InputOf<typeof getSubjectEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<Subject> {
    return this.resources.read(request, getSubject, { subject }, () => [
      { type: 'customer', id: subject, dataSubject: subject },
    ]);
  }

  @Route(eraseSubjectEndpoint)
  async erase(
    @Input() input: InputOf<typeof eraseSubjectEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const command = { subject: input.params.subject, ...keyOf(input) };
    await this.resources.act(request, reply, eraseSubject, command, () => []);
  }
}

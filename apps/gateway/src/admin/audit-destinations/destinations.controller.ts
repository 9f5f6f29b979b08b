import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  createAuditDestination,
  createdDestinationSchema,
  deleteAuditDestination,
  destinationChangesSchema,
  destinationSchema,
  getAuditDestination,
  listAuditDestinations,
  newDestinationSchema,
  shortId,
  updateAuditDestination,
  type AuditDestination,
  type CreatedAuditDestination,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Route } from '../../endpoints/route.js';
import { Input } from '../../requests/input.js';
import { keyOf, Resources } from '../../requests/resources.js';
import {
  act,
  bodyErrors,
  destinationExample,
  destinationTarget,
  operation,
  params,
  path,
  tag,
} from './destination-requests.js';

const listDestinationsEndpoint = endpoint({
  id: 'listAuditDestinations',
  method: 'GET',
  path,
  tag,
  summary: 'List destinations',
  description:
    'Where the audit log is sent, newest first, with how far each receiver is behind and why. See ' +
    'docs/audit-destinations.md.',
  operation,
  action: 'audit_destination.list',
  params: z.strictObject({ shortId }),
  responses: {
    200: {
      description: 'The destinations, ten at most',
      schema: z
        .strictObject({ items: z.array(destinationSchema).describe('Newest first') })
        .meta({ id: 'AuditDestinations' }),
    },
  },
  examples: { response: { items: [destinationExample] } },
});

const createDestinationEndpoint = endpoint({
  id: 'createAuditDestination',
  method: 'POST',
  path,
  tag,
  summary: 'Create a destination',
  description:
    'From now on, or from `after`, each entry of the log is sent there: in order, at least once, with pseudonyms ' +
    'only. A receiver that fails is tried again without end and delays nothing else. Of the kind `https` only this ' +
    'response shows the secret that signs what is sent.',
  operation,
  action: 'audit_destination.create',
  stepUp: true,
  params: z.strictObject({ shortId }),
  body: newDestinationSchema,
  idempotent: true,
  responses: {
    201: {
      description: 'The destination is created',
      schema: createdDestinationSchema,
      headers: { Location: 'Address of the destination' },
    },
  },
  errors: ['limit_reached', ...bodyErrors],
  examples: {
    body: {
      https: {
        summary: 'Signed batches to a server of your own',
        value: { kind: 'https', description: 'Security data lake', settings: { url: 'https://siem.example/holdfast' } },
      },
      splunk: {
        summary: 'Splunk, from the beginning of the log',
        value: {
          kind: 'splunk_hec',
          after: 0,
          settings: { url: 'https://splunk.example', index: 'audit' },
          credentials: { token: '8d3c9a6e-1b7f-4f0a-9f3e-2c5d7e8a9b10' },
        },
      },
      syslog: {
        summary: 'A syslog receiver, in OCSF',
        value: { kind: 'syslog', format: 'ocsf', settings: { host: 'syslog.example' } },
      },
    },
    response: { ...destinationExample, secret: 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=' },
  },
});

const getDestinationEndpoint = endpoint({
  id: 'getAuditDestination',
  method: 'GET',
  path: `${path}/{id}`,
  tag,
  summary: 'Get a destination',
  operation,
  action: 'audit_destination.read',
  params,
  responses: { 200: { description: 'The destination', schema: destinationSchema } },
  errors: ['unknown_destination'],
  examples: { response: destinationExample },
});

const updateDestinationEndpoint = endpoint({
  id: 'updateAuditDestination',
  method: 'PATCH',
  path: `${path}/{id}`,
  tag,
  summary: 'Change a destination',
  description:
    'Changes only the given members; `settings` and `credentials` are each replaced as a whole. The next attempt is ' +
    'made at once.',
  operation,
  action: 'audit_destination.update',
  stepUp: true,
  params,
  body: destinationChangesSchema,
  idempotent: true,
  responses: { 200: { description: 'The destination as it is now', schema: destinationSchema } },
  errors: ['unknown_destination', ...bodyErrors],
  examples: {
    body: {
      moved: { summary: 'Another address', value: { settings: { url: 'https://siem2.example/holdfast' } } },
      undescribed: { summary: 'Without description', value: { description: null } },
    },
    response: destinationExample,
  },
});

const deleteDestinationEndpoint = endpoint({
  id: 'deleteAuditDestination',
  method: 'DELETE',
  path: `${path}/{id}`,
  tag,
  summary: 'Delete a destination',
  description: 'Nothing is sent there any more, except what is being sent right now.',
  operation,
  noStepUp: 'it only ends a copy of the log',
  action: 'audit_destination.delete',
  params,
  idempotent: true,
  responses: { 204: { description: 'The destination is deleted' } },
  errors: ['unknown_destination'],
});

@Controller()
export class DestinationsController {
  constructor(private readonly resources: Resources) {}

  @Route(listDestinationsEndpoint)
  list(@Req() request: FastifyRequest, @Input() _: InputOf<typeof listDestinationsEndpoint>): Promise<unknown> {
    return this.resources.read(request, listAuditDestinations, {}, () => []);
  }

  @Route(createDestinationEndpoint)
  async create(
    @Input() input: InputOf<typeof createDestinationEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<CreatedAuditDestination> {
    const command = { destination: input.body, ...keyOf(input) };
    const { destination } = await act(this.resources, [request, reply], [createAuditDestination, command], []);
    request.requestContext.targets = [destinationTarget(destination.id)];
    void reply.header('location', `/o/${input.params.shortId}/api/admin/audit/destinations/${destination.id}`);
    return destination;
  }

  @Route(getDestinationEndpoint)
  get(
    @Input() { params: { id } }: InputOf<typeof getDestinationEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<AuditDestination> {
    const targets = (request.requestContext.targets = [destinationTarget(id)]);
    return this.resources.read(request, getAuditDestination, { id }, () => targets);
  }

  @Route(updateDestinationEndpoint)
  async update(
    @Input() input: InputOf<typeof updateDestinationEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditDestination> {
    const { id } = input.params;
    const command = { id, changes: input.body, ...keyOf(input) };
    const both: [FastifyRequest, FastifyReply] = [request, reply];
    return (await act(this.resources, both, [updateAuditDestination, command], [destinationTarget(id)])).destination;
  }

  @Route(deleteDestinationEndpoint)
  async delete(
    @Input() input: InputOf<typeof deleteDestinationEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<void> {
    const { id } = input.params;
    const command = { id, ...keyOf(input) };
    await act(this.resources, [request, reply], [deleteAuditDestination, command], [destinationTarget(id)]);
  }
}

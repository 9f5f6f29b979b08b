import { Controller, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import {
  destinationSchema,
  pauseAuditDestination,
  rewindAuditDestination,
  rewindSchema,
  rotateDestinationSecret,
  rotatedSecretSchema,
  testAuditDestination,
  testResultSchema,
  type AuditDestination,
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

const pauseEndpoint = endpoint({
  id: 'pauseAuditDestination',
  method: 'POST',
  path: `${path}/{id}/pause`,
  tag,
  summary: 'Pause a destination',
  description: 'Nothing is sent until it is resumed, and nothing is lost: its place in the log stays.',
  operation,
  noStepUp: 'it only stops a copy of the log',
  action: 'audit_destination.pause',
  params,
  idempotent: true,
  responses: { 200: { description: 'The destination as it is now', schema: destinationSchema } },
  errors: ['unknown_destination'],
  examples: { response: { ...destinationExample, state: 'paused' } },
});

const resumeEndpoint = endpoint({
  id: 'resumeAuditDestination',
  method: 'POST',
  path: `${path}/{id}/resume`,
  tag,
  summary: 'Resume a destination',
  description: 'Continues where it was paused. Of a destination that fails, the next attempt is made at once.',
  operation,
  stepUp: true,
  action: 'audit_destination.resume',
  params,
  idempotent: true,
  responses: { 200: { description: 'The destination as it is now', schema: destinationSchema } },
  errors: ['unknown_destination'],
  examples: { response: destinationExample },
});

const rewindEndpoint = endpoint({
  id: 'rewindAuditDestination',
  method: 'POST',
  path: `${path}/{id}/rewind`,
  tag,
  summary: 'Move a destination to another place in the log',
  description:
    'Sends the entries after `after`, although the receiver has confirmed them, or leaves out what is before.',
  operation,
  stepUp: true,
  action: 'audit_destination.rewind',
  params,
  body: rewindSchema,
  idempotent: true,
  responses: { 200: { description: 'The destination as it is now', schema: destinationSchema } },
  errors: ['unknown_destination', ...bodyErrors],
  examples: {
    body: { beginning: { summary: 'From the beginning of the log', value: { after: 0 } } },
    response: { ...destinationExample, after: 0, lag: { entries: 1041, seconds: 0.2 } },
  },
});

const testEndpoint = endpoint({
  id: 'testAuditDestination',
  method: 'POST',
  path: `${path}/{id}/test`,
  tag,
  summary: 'Send a test entry to a destination',
  description:
    'Sends one entry with `seq` 0 and the action `audit_destination.test`, which is not of the log, and says whether ' +
    'the receiver has confirmed it. The place in the log stays.',
  operation,
  noStepUp: 'it sends no entry, and to the stored address only',
  action: 'audit_destination.test',
  params,
  idempotent: true,
  responses: { 200: { description: 'What the receiver responded', schema: testResultSchema } },
  errors: ['unknown_destination'],
  examples: {
    response: { delivered: false, detail: 'the receiver responded with status 403: it refuses the credentials.' },
  },
});

const rotateSecretEndpoint = endpoint({
  id: 'rotateAuditDestinationSecret',
  method: 'POST',
  path: `${path}/{id}/rotate-secret`,
  tag,
  summary: 'Rotate the secret of a destination',
  description:
    'Of the kind `https`: a new secret signs what is sent, and the earlier one as well for 24 hours, so that the ' +
    'receiver can change. Only this response shows it.',
  operation,
  action: 'audit_destination.rotate_secret',
  stepUp: true,
  params,
  idempotent: true,
  responses: { 201: { description: 'The new secret', schema: rotatedSecretSchema } },
  errors: ['unknown_destination', 'invalid_state'],
  examples: {
    response: {
      secret: 'whsec_YWJjZGVmZ2hpamtsbW5vcHFyc3R1dnd4eXoxMjM0NTY=',
      previousUntil: '2026-11-22T09:30:00.000Z',
    },
  },
});

@Controller()
export class DestinationActionsController {
  constructor(private readonly resources: Resources) {}

  @Route(pauseEndpoint)
  pause(
    @Input() input: InputOf<typeof pauseEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditDestination> {
    return this.setPaused(true, input, request, reply);
  }

  @Route(resumeEndpoint)
  resume(
    @Input() input: InputOf<typeof resumeEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditDestination> {
    return this.setPaused(false, input, request, reply);
  }

  @Route(rewindEndpoint)
  async rewind(
    @Input() input: InputOf<typeof rewindEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<AuditDestination> {
    const { id } = input.params;
    const command = { id, after: input.body.after, ...keyOf(input) };
    const both: [FastifyRequest, FastifyReply] = [request, reply];
    return (await act(this.resources, both, [rewindAuditDestination, command], [destinationTarget(id)])).destination;
  }

  @Route(testEndpoint)
  test(
    @Input() input: InputOf<typeof testEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { id } = input.params;
    const command = { id, ...keyOf(input) };
    return act(this.resources, [request, reply], [testAuditDestination, command], [destinationTarget(id)]);
  }

  @Route(rotateSecretEndpoint)
  rotateSecret(
    @Input() input: InputOf<typeof rotateSecretEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const { id } = input.params;
    const command = { id, ...keyOf(input) };
    return act(this.resources, [request, reply], [rotateDestinationSecret, command], [destinationTarget(id)]);
  }

  private async setPaused(
    paused: boolean,
    input: InputOf<typeof pauseEndpoint>,
    request: FastifyRequest,
    reply: FastifyReply,
  ): Promise<AuditDestination> {
    const { id } = input.params;
    const command = { id, paused, ...keyOf(input) };
    const both: [FastifyRequest, FastifyReply] = [request, reply];
    return (await act(this.resources, both, [pauseAuditDestination, command], [destinationTarget(id)])).destination;
  }
}

import { Controller, Header, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  auditCheckpoint,
  auditConsistency,
  auditProof,
  auditProofSchema,
  auditVerifierKeys,
  shortId,
  uuid,
} from '@holdfast/contracts';
import { endpoint, type InputOf } from '@holdfast/contracts/http';
import { Bus } from '@holdfast/messaging';
import { formatProofFile } from '@holdfast/tlog';
import { prefersText } from '../../edge/accept.js';
import { mediaTypes } from '../../edge/media-types.js';
import { contextOf } from '../../edge/request-context.js';
import { Route } from '../../endpoints/route.js';
import { Input, invalidRequest } from '../../requests/input.js';
import { Resources } from '../../requests/resources.js';
import { checkpoint, proof, proofFile, verifierKey } from './audit-examples.js';

const tag = 'Admin API: audit';
const text = 'text/plain';

const getAuditCheckpointEndpoint = endpoint({
  id: 'getAuditCheckpoint',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/checkpoint',
  tag,
  summary: 'Get the newest checkpoint of the log',
  description:
    'A signed note (c2sp.org/tlog-checkpoint) with origin, size and root hash. It covers the event of every request ' +
    'that had its response before this one was sent. Keep it: the log must continue it from then on. With ' +
    '`cosigned=true` the newest one that witnesses have cosigned (c2sp.org/tlog-cosignature), which is some minutes ' +
    'old.',
  operation: 'audit:read',
  action: 'audit.prove',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    cosigned: z.enum(['true', 'false']).optional().describe('Whether the checkpoint must have cosignatures'),
  }),
  responses: { 200: { description: 'The checkpoint', media: [text] } },
  errors: ['unknown_checkpoint'],
  examples: { text: checkpoint },
});

const getAuditKeysEndpoint = endpoint({
  id: 'getAuditKeys',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/keys',
  tag,
  summary: "Get the verifier keys of the log's checkpoints",
  description: 'Pin them: fetching the keys again for each verification would trust any server that responds.',
  operation: 'audit:read',
  action: 'audit.prove',
  params: z.strictObject({ shortId }),
  responses: { 200: { description: 'The keys, the current one first', schema: auditVerifierKeys.reply } },
  examples: { response: { keys: [verifierKey] } },
});

const getAuditProofEndpoint = endpoint({
  id: 'getAuditProof',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/events/{id}/proof',
  tag,
  summary: 'Get the proof that an event is in the log',
  description:
    'The exact bytes of the event in the log, its inclusion proof (RFC 9162 §2.1.3) and the checkpoint that both ' +
    'lead to. With `Accept: text/plain` a proof file (c2sp.org/tlog-proof) to keep, with the bytes as its `extra` ' +
    'line.',
  operation: 'audit:read',
  action: 'audit.prove',
  params: z.strictObject({ shortId, id: uuid.describe('The event') }),
  responses: { 200: { description: 'The proof', schema: auditProofSchema, media: [text] } },
  errors: ['unknown_event'],
  examples: { response: proof, text: proofFile },
});

const size = z
  .string()
  .regex(/^[1-9]\d{0,15}$/, 'must be the size of a log: a whole number of 1 or more')
  .transform(Number)
  .refine(Number.isSafeInteger, 'is larger than any log')
  .meta({ parameter: { type: 'integer', minimum: 1 } });

const getAuditConsistencyEndpoint = endpoint({
  id: 'getAuditConsistency',
  method: 'GET',
  path: '/o/{shortId}/api/admin/audit/consistency',
  tag,
  summary: 'Get the proof that the log continues an earlier one',
  description: 'Between the sizes of two checkpoints (RFC 9162 §2.1.4).',
  operation: 'audit:read',
  action: 'audit.prove',
  params: z.strictObject({ shortId }),
  query: z.strictObject({
    from: size.describe('Size in the earlier checkpoint'),
    to: size.describe('Size in the later one, at most the size of the log'),
  }),
  responses: { 200: { description: 'The proof; empty when both sizes are the same', schema: auditConsistency.reply } },
  examples: { response: { hashes: proof.hashes } },
});

@Controller()
export class AuditProofsController {
  constructor(
    private readonly bus: Bus,
    private readonly resources: Resources,
  ) {}

  @Route(getAuditCheckpointEndpoint)
  @Header('content-type', mediaTypes.text)
  async checkpoint(
    @Input() { query: { cosigned } }: InputOf<typeof getAuditCheckpointEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<string> {
    return (await this.bus.request(auditCheckpoint, { cosigned: cosigned === 'true' }, contextOf(request))).checkpoint;
  }

  @Route(getAuditKeysEndpoint)
  keys(@Input() _input: InputOf<typeof getAuditKeysEndpoint>, @Req() request: FastifyRequest): Promise<unknown> {
    return this.bus.request(auditVerifierKeys, {}, contextOf(request));
  }

  @Route(getAuditProofEndpoint)
  async proof(
    @Input() { params }: InputOf<typeof getAuditProofEndpoint>,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<unknown> {
    const found = await this.resources.read(request, auditProof, { id: params.id }, ({ id }) => [
      { type: 'audit_event', id },
    ]);
    void reply.header('vary', 'Accept');
    if (!prefersText(request.headers.accept)) return found;
    void reply.type(mediaTypes.text);
    return formatProofFile({
      index: found.seq - 1,
      hashes: found.hashes.map((hash) => Buffer.from(hash, 'base64')),
      checkpoint: found.checkpoint,
      extra: Buffer.from(found.leaf, 'base64'),
    });
  }

  @Route(getAuditConsistencyEndpoint)
  consistency(
    @Input() { query }: InputOf<typeof getAuditConsistencyEndpoint>,
    @Req() request: FastifyRequest,
  ): Promise<unknown> {
    const { from, to } = query;
    if (from > to)
      throw invalidRequest([
        { parameter: 'from', detail: `must be at most \`to\`: a log of ${to} events cannot continue one of ${from}` },
      ]);
    return this.bus.request(auditConsistency, { from, to }, contextOf(request));
  }
}

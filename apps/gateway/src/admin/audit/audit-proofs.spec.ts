import { describe, expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AccessTokenClaims } from '@holdfast/contracts';
import { auditExamples, forwardedEndpoints } from '@holdfast/contracts/http';
import type { Bus } from '@holdfast/messaging';
import { systemClock } from '@holdfast/platform';
import { targetsOf } from '../../edge/recording.js';
import { newRequestContext } from '../../edge/request-context.js';
import { Forwarder } from '../../requests/forward.js';
import type { Resources } from '../../requests/resources.js';

async function forward(id: string, found: unknown, input: object = {}, accept?: string) {
  const requestContext = newRequestContext({ headers: {}, ip: '192.0.2.1' });
  requestContext.claims = {
    org: 'acme',
    client_id: 'app_1',
    client_name: 'shop',
    scope: 'audit:read',
  } as AccessTokenClaims;
  const request = { method: 'GET', headers: { accept }, routeOptions: { url: '/' }, requestContext };
  const headers: Record<string, string> = {};
  const reply = {
    header: (name: string, value: string) => (headers[name] = value),
    type: (value: string) => (headers['content-type'] = value),
  };
  const sent: unknown[] = [];
  const bus = {
    request: (_: unknown, message: unknown) => {
      sent.push(message);
      return Promise.resolve(found);
    },
  };
  const body = await new Forwarder(bus as unknown as Bus, {} as Resources, systemClock).forward(
    forwardedEndpoints.auditProofs.find(({ endpoint }) => endpoint.id === id)!,
    { params: {}, query: {}, body: undefined, ...input },
    request as unknown as FastifyRequest,
    reply as unknown as FastifyReply,
  );
  return { body, headers, sent, targets: targetsOf(requestContext.recording) };
}

describe('endpoints of proofs', () => {
  const { checkpoint, proof, proofFile } = auditExamples;
  const text = 'text/plain; charset=utf-8';
  const targets = [{ type: 'audit_event', id: proof.id }];

  it('the checkpoint is text for each caller', async () => {
    expect(await forward('getAuditCheckpoint', { checkpoint }, {}, 'application/json')).toEqual({
      body: checkpoint,
      headers: { 'content-type': text },
      sent: [{ cosigned: false }],
      targets: [],
    });
  });

  it('a proof is JSON, or text for a caller that prefers it', async () => {
    const input = { params: { shortId: 'acme', id: proof.id } };
    const sent = [{ id: proof.id }];
    const vary = 'Accept';
    expect(await forward('getAuditProof', proof, input)).toEqual({ body: proof, headers: { vary }, sent, targets });
    expect(await forward('getAuditProof', proof, input, 'text/plain')).toEqual({
      body: proofFile,
      headers: { vary, 'content-type': text },
      sent,
      targets,
    });
  });

  it('a log cannot continue a longer one', async () => {
    await expect(forward('getAuditConsistency', { hashes: [] }, { query: { from: 3, to: 2 } })).rejects.toMatchObject({
      code: 'invalid_request',
      errors: [{ parameter: 'from', detail: expect.stringContaining('must be at most `to`') }],
    });
    const { sent } = await forward('getAuditConsistency', { hashes: [] }, { query: { from: 3, to: 3 } });
    expect(sent).toEqual([{ from: 3, to: 3 }]);
  });
});

import type { FastifyReply, FastifyRequest } from 'fastify';
import { z } from 'zod';
import {
  shortId,
  uuid,
  type AuditDestination,
  type AuditTarget,
  type Contract,
  type ReplyOf,
} from '@holdfast/contracts';
import type { Resources } from '../../requests/resources.js';

export const tag = 'Admin API: audit';
/** A caller that may export the log may have it sent (docs/adr/0063-destinations-of-the-audit-log.md). */
export const operation = 'audit:export';
export const path = '/o/{shortId}/api/admin/audit/destinations';
export const bodyErrors = ['payload_too_large', 'unsupported_media_type'] as const;
export const params = z.strictObject({ shortId, id: uuid.describe('The destination') });

export const destinationTarget = (id: string): AuditTarget => ({ type: 'audit_destination', id });

export const destinationExample: AuditDestination = {
  id: '019aa5f2-7c1f-7c54-92e6-4f1b0a9c8d04',
  kind: 'https',
  description: 'Security data lake',
  format: 'native',
  settings: { url: 'https://siem.example/holdfast', encoding: 'ndjson' },
  state: 'active',
  createdAt: '2026-11-21T09:30:00.000Z',
  after: 1041,
  lag: { entries: 0, seconds: 0 },
  sent: 1041,
  rejected: 0,
  lastSuccessAt: '2026-11-21T10:02:11.204Z',
};

/**
 * Sends a command. Its handler has written the record, unless it is a repeat or nothing had to be changed: then the
 * gateway writes it.
 */
export async function act<C extends Contract>(
  resources: Resources,
  [request, reply]: [FastifyRequest, FastifyReply],
  [contract, command]: [C, z.input<C['request']>],
  targets: AuditTarget[],
): Promise<Omit<ReplyOf<C>, 'replayed'>> {
  const { requestContext } = request;
  requestContext.targets = targets;
  const response = await resources.act(request, reply, contract, command, () => targets);
  if ((response as { changed?: boolean }).changed === false) requestContext.audited = false;
  return response;
}

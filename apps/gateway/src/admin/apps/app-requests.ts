import type { FastifyReply, FastifyRequest } from 'fastify';
import type { AuditTarget } from '@holdfast/contracts';
import type { InputOf } from '@holdfast/contracts/http';
import { keyOf } from '../../requests/resources.js';

export const tag = 'Admin API: apps';

/** Members of every command that changes an app. Only a person's token can hold `grants:manage`. */
export function commandOf(
  request: FastifyRequest,
  input: Pick<InputOf<never>, 'idempotencyKey' | 'ifVersions'>,
): { mayManageGrants: boolean; idempotencyKey?: string; ifVersions?: number[] } {
  const { scope = '' } = request.requestContext.claims ?? {};
  return {
    mayManageGrants: scope.split(' ').includes('grants:manage'),
    ...keyOf(input),
    ...(input.ifVersions && { ifVersions: input.ifVersions }),
  };
}

export function appTarget(clientId: string): AuditTarget {
  return { type: 'app', id: clientId };
}

/** Completes the response about an app: its version as ETag, and the target of the audit record of a repeat. */
export function shown<App extends { clientId: string; version: number }>(
  request: FastifyRequest,
  reply: FastifyReply,
  app: App,
): App {
  void reply.header('etag', `"${app.version}"`);
  request.requestContext.targets = [appTarget(app.clientId)];
  return app;
}

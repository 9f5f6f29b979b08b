import { EventEmitter } from 'node:events';
import { expect, it } from '@jest/globals';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AuditStreams } from './audit-streams.js';

const limits = { AUDIT_STREAMS_MAX: 10, AUDIT_STREAMS_MAX_PER_CALLER: 2, AUDIT_STREAMS_MAX_PER_ORGANIZATION: 3 };

function opener() {
  const streams = new AuditStreams(limits);
  return (org: string, app: string) => {
    const raw = new EventEmitter();
    const claims = { org, client_id: app, client_name: app };
    const requestContext = { claims, requestId: 'r', trace: {}, responseIds: { requestId: 'r', trace: {} } };
    const request = { requestContext, method: 'GET', routeOptions: {}, headers: {} };
    const signal = streams.open(request as unknown as FastifyRequest, { raw } as unknown as FastifyReply);
    return { signal, close: () => raw.emit('close') };
  };
}
const refusedWith = (code: string, detail: RegExp) =>
  expect.objectContaining({ code, detail: expect.stringMatching(detail) });

it('refuses further streams of an app and of an organization with 429, until one ends', () => {
  const open = opener();
  const first = open('acme', 'a');
  open('acme', 'a');
  expect(() => open('acme', 'a')).toThrow(refusedWith('rate_limited', /^You read/));
  open('acme', 'b');
  expect(() => open('acme', 'b')).toThrow(refusedWith('rate_limited', /your organization/));
  expect(() => open('acme', 'c')).toThrow(expect.objectContaining({ retryAfter: 10 }));
  first.close();
  expect(first.signal.aborted).toBe(true);
  open('acme', 'c');
});

it('opens streams of other organizations while one has as many as it may', () => {
  const open = opener();
  for (const app of ['a', 'a', 'b']) open('acme', app);
  for (const org of ['globex', 'initech']) for (const app of ['a', 'a', 'b']) open(org, app);
  open('umbrella', 'a');
  expect(() => open('umbrella', 'b')).toThrow(refusedWith('unavailable', /too many streams, waiting/));
});

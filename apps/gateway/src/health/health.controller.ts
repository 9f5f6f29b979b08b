import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { endpoint } from '@holdfast/contracts/http';
import { Readiness } from '@holdfast/service';
import { Route } from '../endpoints/route.js';

const tag = 'Health';
const unrecorded = 'concerns no organization';
const yes = { description: 'Yes', media: ['text/plain'] };

const healthEndpoint = endpoint({
  id: 'getHealth',
  method: 'GET',
  public: 'for load balancers and supervisors',
  limit: 'probe',
  path: '/healthz',
  tag,
  unrecorded,
  summary: 'Whether the gateway is alive',
  responses: { 200: yes },
  examples: { text: 'ok\n' },
});
const readyEndpoint = endpoint({
  id: 'getReadiness',
  method: 'GET',
  public: 'for load balancers and supervisors',
  limit: 'probe',
  path: '/readyz',
  tag,
  unrecorded,
  summary: 'Whether the gateway is ready for requests',
  responses: { 200: yes, 503: { description: 'No', media: ['text/plain'] } },
  examples: { text: 'ready\n' },
});

/** Whether a path without query is that of a probe, which is served even when other requests are rejected. */
export function isProbe(path: string): boolean {
  return path === healthEndpoint.path || path === readyEndpoint.path;
}

@Controller()
export class HealthController {
  constructor(private readonly readiness: Readiness) {}

  @Route(healthEndpoint)
  health(): string {
    return 'ok\n';
  }

  @Route(readyEndpoint)
  async ready(@Res({ passthrough: true }) reply: FastifyReply): Promise<string> {
    const { ready } = await this.readiness.report();
    void reply.code(ready ? 200 : 503);
    return ready ? 'ready\n' : 'not ready\n';
  }
}

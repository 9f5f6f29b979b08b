import { Readiness } from '@holdfast/bus';
import { Controller, Res } from '@nestjs/common';
import type { FastifyReply } from 'fastify';
import { endpoint, Route } from './endpoint.js';

const tag = 'Health';
const unrecorded = 'asked by machinery, of no organization';
const answers = { 200: { description: 'Yes' } };

export const healthEndpoint = endpoint({ id: 'getHealth', method: 'GET', limit: 'probe', path: '/healthz', tag, unrecorded, summary: 'Does the gateway live?', answers });
export const readyEndpoint = endpoint({ id: 'getReadiness', method: 'GET', limit: 'probe', path: '/readyz', tag, unrecorded, summary: 'May the gateway be sent requests?', answers });

/** Whether this path, without its query, is one that the platform probes: it must be answered whatever else is refused. */
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
    const ready = await this.readiness.ready().catch(() => false);
    void reply.code(ready ? 200 : 503);
    return ready ? 'ready\n' : 'not ready\n';
  }
}

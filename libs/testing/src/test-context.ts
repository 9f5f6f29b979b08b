import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestContext, RequestInfo } from '@holdfast/contracts';

type Overrides = Partial<Omit<RequestContext, 'request'>> & { request?: Partial<RequestInfo> };

/** A request context: by default of an app of organization `acme`, with a new request id. */
export function testContext({ request, ...overrides }: Overrides = {}): RequestContext {
  return {
    org: 'acme',
    actor: { type: 'app', id: 'app-1', name: 'Shop' },
    auditId: randomUUID(),
    ...overrides,
    request: {
      id: randomUUID(),
      traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
      method: 'POST',
      route: '/o/{shortId}/api/credentials/offers',
      ...request,
    },
  };
}

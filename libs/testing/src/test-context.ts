import { randomBytes, randomUUID } from 'node:crypto';
import type { RequestContext, RequestInfo } from '@holdfast/contracts';

type Given = Partial<Omit<RequestContext, 'request'>> & { request?: Partial<RequestInfo> };

/** The context of a call: an app of organization `acme`, a request of its own, unless told otherwise. */
export function testContext({ request, ...given }: Given = {}): RequestContext {
  return {
    org: 'acme',
    actor: { type: 'app', id: 'app-1', name: 'Shop' },
    auditId: randomUUID(),
    ...given,
    request: {
      id: randomUUID(),
      traceparent: `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-01`,
      method: 'POST',
      route: '/o/{shortId}/api/credentials/offers',
      ...request,
    },
  };
}

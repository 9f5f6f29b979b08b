import { randomBytes } from 'node:crypto';
import type { RequestContext, ServiceName } from '@holdfast/contracts';
import { newId } from '@holdfast/platform';

/** Context of a request that a service sends for itself and not for a caller. */
export function systemContext(service: ServiceName): RequestContext {
  const traceparent = `00-${randomBytes(16).toString('hex')}-${randomBytes(8).toString('hex')}-00`;
  return {
    org: '',
    actor: { type: 'system', id: service },
    request: { id: newId(), traceparent, method: '', route: '' },
    auditId: newId(),
  };
}

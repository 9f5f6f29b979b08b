import { randomForIds } from '@holdfast/platform';

/** W3C Trace Context of a request: the caller's trace with a new span, or a new trace. */
export interface Trace {
  traceparent: string;
}

const form = /^00-([0-9a-f]{32})-([0-9a-f]{16})-([0-9a-f]{2})$/;
const zeros = /^0+$/;

/** Continues a valid `traceparent`; undefined for any other. The sampled flag is passed on and has no effect here. */
export function childOf(parent: string | string[] | undefined): Trace | undefined {
  const match = typeof parent === 'string' ? form.exec(parent) : null;
  const [, traceId, parentId, flags] = match ?? [];
  if (!traceId || !parentId || zeros.test(traceId) || zeros.test(parentId)) return undefined;
  return { traceparent: `00-${traceId}-${randomForIds(8).toString('hex')}-${flags}` };
}

export function newTrace(): Trace {
  const random = randomForIds(24).toString('hex');
  return { traceparent: `00-${random.slice(16)}-${random.slice(0, 16)}-00` };
}

/** How often Node closes connections whose timeout has passed, in ms. */
const connectionsCheckingInterval = 1000;

export interface ServerTimeouts {
  /** From the first byte of a request, or from connecting, to the end of its headers. */
  headersTimeoutMs: number;
  /** To the end of its body. */
  requestTimeoutMs: number;
}

/**
 * Options of a FastifyAdapter. Fastify sets `requestTimeout` only, and the greater one of it and Node's
 * `headersTimeout` of a minute limits the whole request. A sender that stops in the middle of a body would have a
 * minute.
 */
export function serverTimeouts({ headersTimeoutMs, requestTimeoutMs }: ServerTimeouts) {
  if (headersTimeoutMs >= requestTimeoutMs)
    throw new Error('headers must arrive before the request does: headersTimeoutMs must be below requestTimeoutMs');
  return {
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, connectionsCheckingInterval },
  };
}

/** How often Node looks for connections that have had their time. */
const connectionsCheckingInterval = 1000;

export interface ServerTimeouts {
  /** From the first byte of a request, or from connecting, to the end of its headers. */
  headersTimeoutMs: number;
  /** To the end of its body. */
  requestTimeoutMs: number;
}

/**
 * Options of a FastifyAdapter. Fastify takes `requestTimeout` alone, and Node's `headersTimeout` of a minute stays:
 * whichever of the two is greater then bounds the whole request, so that a sender who stops in the middle of a body has
 * a minute.
 */
export function serverTimeouts({ headersTimeoutMs, requestTimeoutMs }: ServerTimeouts) {
  if (headersTimeoutMs >= requestTimeoutMs)
    throw new Error('headers must arrive before the request does: headersTimeoutMs must be below requestTimeoutMs');
  return {
    requestTimeout: requestTimeoutMs,
    http: { headersTimeout: headersTimeoutMs, requestTimeout: requestTimeoutMs, connectionsCheckingInterval },
  };
}

/** Why an outbound request failed; `status` is a response that is not 2xx, redirects included. */
export type OutboundFailure = 'address not allowed' | 'no response' | 'timed out' | 'too large' | 'status';

/**
 * A failed outbound request. It may be shown to the person who chose the URL: it does not reveal what an internal
 * address responded, or whether it exists.
 */
export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    message: string,
    /** Status of the response, if there was one. */
    readonly status?: number,
    /** Its header `Retry-After` (RFC 9110 §10.2.3). */
    readonly retryAfter?: string,
  ) {
    super(message);
    this.name = 'OutboundError';
  }
}

export const notAllowed = (why: string) => new OutboundError('address not allowed', `address not allowed: ${why}`);

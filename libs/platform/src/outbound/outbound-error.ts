/** Why a call to the outside failed; `status` is an answer that is not 2xx, redirects included. */
export type OutboundFailure = 'address not allowed' | 'no answer' | 'timed out' | 'too large' | 'status';

/**
 * A call to the outside that did not succeed. May be shown to whoever named the address: it says nothing of what an
 * address inside answered, or of whether one is there.
 */
export class OutboundError extends Error {
  constructor(
    readonly failure: OutboundFailure,
    message: string,
    /** Of the answer, when there was one. */
    readonly status?: number,
  ) {
    super(message);
    this.name = 'OutboundError';
  }
}

export const notAllowed = (why: string) => new OutboundError('address not allowed', `address not allowed: ${why}`);

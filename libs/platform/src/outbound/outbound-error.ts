/** Why an outbound request failed; `status` is a response that is not 2xx, redirects included. */
export type OutboundFailure =
  'address not allowed' | 'no response' | 'timed out' | 'certificate' | 'too large' | 'status';

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

/** Codes of OpenSSL and Node.js, and what they mean to the person who chose the address. */
const certificateFaults: Record<string, string> = {
  CERT_HAS_EXPIRED: 'it has expired',
  CERT_NOT_YET_VALID: 'it is not valid yet',
  DEPTH_ZERO_SELF_SIGNED_CERT: 'it is self-signed',
  SELF_SIGNED_CERT_IN_CHAIN: 'it is of an authority of its own, which is not known here',
  UNABLE_TO_GET_ISSUER_CERT: 'the authority that issued it is not known here',
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY:
    'the authority that issued it is not known here, or the server does not send the certificates in between',
  UNABLE_TO_VERIFY_LEAF_SIGNATURE:
    'the authority that issued it is not known here, or the server does not send the certificates in between',
  CERT_REVOKED: 'it was revoked',
  CERT_UNTRUSTED: 'the authority that issued it is not trusted',
  CERT_REJECTED: 'it was rejected',
  CERT_SIGNATURE_FAILURE: 'its signature is wrong',
  CERT_CHAIN_TOO_LONG: 'its chain is too long',
  INVALID_CA: 'an authority in its chain may issue none',
  INVALID_PURPOSE: 'it is not for servers',
  ERR_TLS_CERT_ALTNAME_INVALID: 'it is for another host',
};

/**
 * A fault of the server's certificate, which only its owner can repair. Its address was checked before, so this says
 * nothing about the internal network.
 */
export function certificateError(code: string): OutboundError | undefined {
  const fault = certificateFaults[code];
  return fault === undefined ? undefined : new OutboundError('certificate', `certificate: ${fault} (${code}).`);
}

export const notAllowed = (why: string) => new OutboundError('address not allowed', `address not allowed: ${why}`);

import type { IncomingHttpHeaders } from 'node:http';
import { internalHeaderPrefix, internalHeaders } from '@holdfast/contracts';

/**
 * Fields about one connection and not about the message (RFC 9110 §7.6.1), with those of HTTP/1.0 and HTTP/2 proxies.
 * A message that is forwarded over another connection must not carry them: undici rejects a request with some of them.
 */
const hopByHop = new Set([
  'connection',
  'expect',
  'http2-settings',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
]);

/** Headers that only the gateway may set: those that a client sends are removed. */
const reserved = new RegExp(`^(${internalHeaderPrefix}|x-forwarded-|forwarded$|x-real-ip$)`);

type Headers = Record<string, string | string[] | undefined>;

/** The headers without those about one connection. */
export function endToEnd(headers: Headers): Record<string, string | string[]> {
  const named = new Set(
    String(headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  );
  const kept = Object.entries(headers).filter(
    ([name, value]) => value !== undefined && !hopByHop.has(name) && !named.has(name),
  );
  return Object.fromEntries(kept) as Record<string, string | string[]>;
}

export interface Forwarded {
  baseUrl: string;
  address: string;
  requestId: string;
  traceparent: string;
  /** Ids that the caller chose. */
  callerId?: string;
  callerTraceparent?: string;
}

/** Headers of the forwarded request: those of the client that auth may get, and those that the gateway sets. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { baseUrl, address, requestId, traceparent, callerId, callerTraceparent }: Forwarded,
): Record<string, string | string[]> {
  const { protocol, host } = new URL(baseUrl);
  // undici sets content-length from the body.
  const forwarded = Object.entries(endToEnd(headers)).filter(
    ([name]) => !reserved.test(name) && name !== 'content-length',
  );
  return {
    ...Object.fromEntries(forwarded),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    [internalHeaders.clientAddress]: address,
    'x-request-id': requestId,
    traceparent,
    ...(callerId !== undefined && { [internalHeaders.callerRequestId]: callerId }),
    ...(callerTraceparent !== undefined && { [internalHeaders.callerTraceparent]: callerTraceparent }),
  };
}

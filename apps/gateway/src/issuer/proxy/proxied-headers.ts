import type { IncomingHttpHeaders } from 'node:http';

/**
 * Fields about one connection and not about the message (RFC 9110 §7.6.1), with those of HTTP/1.0 and HTTP/2 proxies.
 * What is handed on over another connection must not have them: undici refuses some, and a request with them failed as
 * a whole.
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

/** Headers that only we may set: what a client says of itself under these names means nothing. */
const internal = /^(x-forwarded-|x-holdfast-|forwarded$|x-real-ip$)/;

/** By which auth learns where a customer comes from. */
const addressHeader = 'x-holdfast-client-address';
/** By which auth learns what the caller chose, for the audit record alone. */
const callerIdHeader = 'x-holdfast-caller-request-id';
const callerTraceHeader = 'x-holdfast-caller-traceparent';

type Headers = Record<string, string | string[] | undefined>;

/** What stays when a message moves on to another connection. */
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
  /** What the caller chose in their stead. */
  callerId?: string;
  callerTraceparent?: string;
}

/** Of a client's request, what auth may see, and what we say of it. */
export function requestHeaders(
  headers: IncomingHttpHeaders,
  { baseUrl, address, requestId, traceparent, callerId, callerTraceparent }: Forwarded,
): Record<string, string | string[]> {
  const { protocol, host } = new URL(baseUrl);
  // The body goes on as it was read: undici says how long it is.
  const own = Object.entries(endToEnd(headers)).filter(([name]) => !internal.test(name) && name !== 'content-length');
  return {
    ...Object.fromEntries(own),
    host,
    'x-forwarded-proto': protocol.slice(0, -1),
    'x-forwarded-host': host,
    [addressHeader]: address,
    'x-request-id': requestId,
    traceparent,
    ...(callerId !== undefined && { [callerIdHeader]: callerId }),
    ...(callerTraceparent !== undefined && { [callerTraceHeader]: callerTraceparent }),
  };
}

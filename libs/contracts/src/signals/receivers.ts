import { z } from 'zod';

/** The address of a receiver that an organization chose. Whether it may be called is for the outbound client to say. */
export function receiverUrl(example: string) {
  return z
    .string()
    .max(2000)
    .refine((text) => URL.canParse(text) && !/[\s\p{Cc}#]/u.test(text), 'must be a whole https address')
    .meta({ format: 'uri', examples: [example] });
}

/**
 * Header names that concern one connection or the framing of a message (RFC 9110 §7.6.1, RFC 9112 §6), or that
 * Holdfast sets itself. A receiver's proxy would read the request otherwise than it was sent.
 */
const reservedHeader = new RegExp(
  `^(?:${[
    ...['connection', 'proxy-.*', 'keep-alive', 'transfer-.*', 'te', 'trailers?', 'upgrade', 'http2-settings'],
    ...['host', 'expect', 'content-.*', 'accept', 'accept-encoding', 'user-agent', 'cookie', 'date'],
    ...['via', 'forwarded', 'x-forwarded-.*', 'webhook-.*', 'traceparent', 'tracestate'],
  ].join('|')})$`,
);

export const headerName = z
  .string()
  .regex(/^[a-z0-9-]{1,100}$/, 'must be a lower-case header name')
  .refine((header) => !reservedHeader.test(header), 'must be a header that receivers read, not one of HTTP');
export const headerValue = z.string().regex(/^[\x20-\x7e]{1,2000}$/, 'must be printable ASCII');

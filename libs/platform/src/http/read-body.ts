import type { IncomingMessage } from 'node:http';
import { AppError } from '../errors/app-error.js';

export interface BodyLimits {
  maxBytes: number;
  /** Time until the whole body must have arrived. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/** Read and discarded after an error, so that the client reads the response instead of a reset connection. */
const maxDiscardedBytes = 2_097_152;

/**
 * Reads a request body to its end, within a size and a timeout. It does not destroy the request, as an async iterator
 * would: without the socket there would be no response, and no address of the sender for the audit record.
 * @throws payload_too_large, request_timeout, client_closed_request
 */
export function readBody(
  request: IncomingMessage,
  { maxBytes, timeoutMs = defaultTimeoutMs }: BodyLimits,
): Promise<Buffer> {
  if (Number(request.headers['content-length'] ?? 0) > maxBytes) {
    discardBody(request);
    return Promise.reject(new AppError('payload_too_large'));
  }
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let size = 0;
    const finish = (error?: AppError): void => {
      clearTimeout(timer);
      request.off('data', take).off('end', end).off('error', cutOff).off('close', cutOff);
      if (!error) return resolve(Buffer.concat(chunks, size));
      discardBody(request);
      reject(error);
    };
    const take = (chunk: Buffer): void => {
      size += chunk.length;
      if (size > maxBytes) finish(new AppError('payload_too_large'));
      else chunks.push(chunk);
    };
    const end = (): void => finish();
    const cutOff = (): void => finish(new AppError('client_closed_request'));
    const timer = setTimeout(() => finish(new AppError('request_timeout')), timeoutMs);
    // A request whose client has disconnected already emits no further event.
    if (request.destroyed) return cutOff();
    request.on('data', take).on('end', end).on('error', cutOff).on('close', cutOff);
  });
}

/** Discards the rest of a body. A sender that does not stop loses the connection. */
function discardBody(request: IncomingMessage): void {
  let discarded = 0;
  request.on('error', () => undefined);
  request.on('data', (chunk: Buffer) => {
    discarded += chunk.length;
    if (discarded > maxDiscardedBytes) request.destroy();
  });
  request.resume();
}

/**
 * Whether a header occurs more than once. Of some headers Node keeps only one, and a proxy in front may have read the
 * other.
 */
export function isRepeated({ rawHeaders }: IncomingMessage, name: string): boolean {
  let seen = false;
  for (let i = 0; i < rawHeaders.length; i += 2) {
    const found = rawHeaders[i]!;
    if (found.length !== name.length || found.toLowerCase() !== name) continue;
    if (seen) return true;
    seen = true;
  }
  return false;
}

import type { IncomingMessage } from 'node:http';
import { AppError } from '../app-error.js';

export interface BodyLimits {
  maxBytes: number;
  /** By when the whole body must be here, counted from the call. */
  timeoutMs?: number;
}

const defaultTimeoutMs = 10_000;
/** What a refused sender may still send, so that its client reads the refusal in place of a reset connection. */
const maxDiscardedBytes = 2_097_152;

/**
 * Reads a request body to its end, within a size and a time. It never destroys the request by itself, as an async
 * iterator would: with the socket the answer and the sender's address would be gone.
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
    // Whoever has left while we looked at the headers ends no stream any more.
    if (request.destroyed) return cutOff();
    request.on('data', take).on('end', end).on('error', cutOff).on('close', cutOff);
  });
}

/** Lets what is still coming of a body run out unread; a sender who does not stop loses the connection. */
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
 * Whether a header line stands there more than once: Node keeps one of some, and a proxy in front might have read the
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

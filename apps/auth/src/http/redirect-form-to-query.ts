import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, mediaTypeOf, readBody } from '@holdfast/platform';

/** Bytes that an address may have. */
const largest = 8192;

/**
 * OpenID Connect Core §3.1.2.1 allows POST as well. It becomes the same request by GET: our cookies do not come with a
 * POST from another site, so that it would end the session that the browser holds.
 */
export async function redirectFormToQuery(
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): Promise<void> {
  if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded')
    throw new AppError('unsupported_media_type', 'Send the parameters form-encoded.');
  const query = new URLSearchParams((await readBody(request, { maxBytes: largest })).toString('utf8'));
  response.writeHead(303, { location: `${address}?${query}`, 'cache-control': 'no-store' }).end();
}

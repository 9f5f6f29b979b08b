import type { IncomingMessage, ServerResponse } from 'node:http';
import { AppError, mediaTypeOf, readBody } from '@holdfast/platform';

/** The form becomes the query of an address, and gateways limit addresses to about this length. */
const maxBytes = 8192;

/**
 * Redirects a POST to the same request by GET. OpenID Connect Core §3.1.2.1 allows POST as well, but browsers do not
 * send our cookies with a POST from another site, so the request would replace the session of the browser.
 */
export async function redirectFormToQuery(
  request: IncomingMessage,
  response: ServerResponse,
  address: string,
): Promise<void> {
  if (mediaTypeOf(request.headers['content-type']) !== 'application/x-www-form-urlencoded')
    throw new AppError('unsupported_media_type', 'Send the parameters form-encoded.');
  const query = new URLSearchParams((await readBody(request, { maxBytes })).toString('utf8'));
  response.writeHead(303, { location: `${address}?${query}`, 'cache-control': 'no-store' }).end();
}

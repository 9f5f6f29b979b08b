import type { IncomingMessage, ServerResponse } from 'node:http';

/** Responds 503 to a request of which nothing has been done. The caller may send it again in a moment. */
export function respondUnavailable(
  request: IncomingMessage,
  response: ServerResponse,
  description: string,
  headers: Record<string, string>,
): void {
  // Its body is not read otherwise, and the connection could not take another request.
  request.resume();
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'retry-after': '1',
      ...headers,
    })
    .end(JSON.stringify({ error: 'temporarily_unavailable', error_description: description }));
}

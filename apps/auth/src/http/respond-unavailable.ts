import type { IncomingMessage, ServerResponse } from 'node:http';

/** Responds 503 to a request that was not begun. The caller may send it again in a moment. */
export function respondUnavailable(
  request: IncomingMessage,
  response: ServerResponse,
  description: string,
  headers: Record<string, string>,
): void {
  // With an unread body the connection could not carry another request.
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

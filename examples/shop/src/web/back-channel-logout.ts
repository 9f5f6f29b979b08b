import type { ServerResponse } from 'node:http';
import type { Shop } from '../shop.ts';
import { plainHeaders } from './headers.ts';

/**
 * Where Holdfast says that a session has ended: no browser comes here, so there is no cookie, no page and no CSRF
 * token.
 */
export const backChannelLogoutPath = '/backchannel-logout';

/**
 * Back-Channel Logout §2.8: 200 when it is done, 400 when the token is not to be believed. What fails otherwise comes
 * again.
 */
export async function endSessions(
  { backChannelLogout, sessions }: Shop,
  form: URLSearchParams,
  response: ServerResponse,
): Promise<void> {
  const headers = { 'content-type': 'application/json', 'cache-control': 'no-store', ...plainHeaders };
  try {
    const ended = await backChannelLogout.take(form.get('logout_token') ?? '');
    if (!ended)
      return void response
        .writeHead(400, headers)
        .end('{"error":"invalid_request","error_description":"the logout token is not valid here"}\n');
    sessions.end(ended);
    response.writeHead(200, headers).end();
  } catch (error) {
    process.stderr.write(`a sign-out from Holdfast could not be checked: ${String(error)}\n`);
    response.writeHead(503, headers).end();
  }
}

import { ServerResponse, STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { AppError } from '@holdfast/platform';
import type { HttpRequestContext } from '../request-context.js';
import { renderError } from './render-error.js';

/** Headers that every response has. */
export type CommonHeaders = (requestContext: HttpRequestContext) => Record<string, string>;

/** Writes an error to a request that never reached a Fastify reply, or to a socket whose bytes are no request. */
export type RawErrorWriter = (error: AppError, requestContext: HttpRequestContext, to: ServerResponse | Socket) => void;

export function rawErrorWriter(baseUrl: string, commonHeaders: CommonHeaders): RawErrorWriter {
  return (error, requestContext, to) => {
    const { headers: errorHeaders, body } = renderError(error, requestContext, baseUrl);
    const headers = {
      ...commonHeaders(requestContext),
      ...errorHeaders,
      'content-length': Buffer.byteLength(body),
    };
    if (to instanceof ServerResponse) to.writeHead(error.status, headers).end(body);
    else to.write(`${headOf(error.status, { ...headers, connection: 'close' })}\r\n${body}`);
  };
}

function headOf(status: number, headers: Record<string, string | number>): string {
  const lines = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
  return `HTTP/1.1 ${status} ${STATUS_CODES[status]}\r\n${lines.join('')}`;
}

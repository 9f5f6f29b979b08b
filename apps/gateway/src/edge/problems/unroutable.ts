import { STATUS_CODES } from 'node:http';
import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError, newId } from '@holdfast/platform';
import { requestErrors, requestsTotal } from '@holdfast/service';
import { newRequestContext, type HttpRequestContext } from '../request-context.js';
import { problemOf, problemType } from './problem.js';

/** Node's code for headers or a body that did not arrive in time. */
const timedOut = 'ERR_HTTP_REQUEST_TIMEOUT';

/** These have neither a route nor, most of them, a method; one label stands for all of them. */
function count({ status, code }: AppError): void {
  requestsTotal.inc({ route: 'unroutable', method: 'none', status, organization: 'none' });
  requestErrors.inc({ route: 'unroutable', status, code, dependency: '', cause: '' });
}

/** What is refused before any hook or route of ours sees it, in the same form as every other refusal. */
export function unroutable(baseUrl: string, headersOf: (requestContext: HttpRequestContext) => Record<string, string>) {
  return {
    /** An address that cannot be decoded. */
    frameworkErrors(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
      const requestContext = newRequestContext(request);
      const error = new AppError('invalid_request', 'The address could not be read.');
      count(error);
      reply.raw
        .writeHead(error.status, { ...headersOf(requestContext), 'content-type': problemType })
        .end(JSON.stringify(problemOf(error, requestContext.shown.requestId, baseUrl)));
    },
    /** What is no HTTP, or too much of it. */
    clientErrorHandler({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
      if (code !== 'ECONNRESET' && socket.writable) {
        const requestId = newId();
        const error =
          code === timedOut
            ? new AppError('request_timeout')
            : new AppError('invalid_request', 'The request could not be read.', {
                status: code === 'HPE_HEADER_OVERFLOW' ? 431 : 400,
              });
        count(error);
        const body = JSON.stringify(problemOf(error, requestId, baseUrl));
        const headers = {
          'x-request-id': requestId,
          'holdfast-request-id': requestId,
          'content-type': problemType,
          'content-length': Buffer.byteLength(body),
          connection: 'close',
        };
        const head = Object.entries(headers).map(([name, value]) => `${name}: ${value}\r\n`);
        socket.write(`HTTP/1.1 ${error.status} ${STATUS_CODES[error.status]}\r\n${head.join('')}\r\n${body}`);
      }
      socket.destroy();
    },
  };
}

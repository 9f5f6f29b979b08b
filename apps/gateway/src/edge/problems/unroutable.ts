import type { Socket } from 'node:net';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { AppError } from '@holdfast/platform';
import { requestErrors, requestsTotal } from '@holdfast/service';
import { newRequestContext } from '../request-context.js';
import type { RawErrorWriter } from './raw-error.js';

/** Node's code for headers or a body that did not arrive in time. */
const timeoutCode = 'ERR_HTTP_REQUEST_TIMEOUT';

/** These requests have no route, and most of them no method, so one label stands for all of them. */
function count({ status, code }: AppError): void {
  requestsTotal.inc({ route: 'unroutable', method: 'none', status, organization: 'none' });
  requestErrors.inc({ route: 'unroutable', status, code, dependency: '', cause: '' });
}

/**
 * Fastify's handlers for requests that it rejects before any hook or route, with errors of the same form as all others.
 */
export function unroutableHandlers(writeError: RawErrorWriter) {
  return {
    /** The URL cannot be decoded. */
    frameworkErrors(_error: Error, request: FastifyRequest, reply: FastifyReply): void {
      const error = new AppError('invalid_request', 'The address could not be read.');
      count(error);
      writeError(error, newRequestContext(request), reply.raw);
    },
    /** The bytes are no HTTP request, or its headers are too large or too late. */
    clientErrorHandler({ code = '' }: NodeJS.ErrnoException, socket: Socket): void {
      if (code !== 'ECONNRESET' && socket.writable) {
        const error = errorOf(code);
        count(error);
        writeError(error, newRequestContext({ headers: {}, ip: socket.remoteAddress ?? '' }), socket);
      }
      socket.destroy();
    },
  };
}

function errorOf(code: string): AppError {
  if (code === timeoutCode) return new AppError('request_timeout');
  const status = code === 'HPE_HEADER_OVERFLOW' ? 431 : 400;
  return new AppError('invalid_request', 'The request could not be read.', { status });
}

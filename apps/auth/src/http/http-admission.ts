import type { IncomingMessage, ServerResponse } from 'node:http';
import { Admission } from '@holdfast/messaging';
import type { AppError } from '@holdfast/platform';
import { noteOutcome, originHeaders } from '../request-context/http-outcome.js';
import { errorHeader } from './issuer-routes.js';
import { respondUnavailable } from './respond-unavailable.js';

type Handler = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Limits how many requests are processed concurrently and how many wait, and responds 503 to the others before anything
 * is done for them: one event loop and one pool of database connections serve them all, so more concurrency only makes
 * all of them late. A request counts until its response is closed.
 */
export class HttpAdmission {
  private readonly admission: Admission;

  constructor({
    HTTP_ADMISSION_RUNNING: maxRunning,
    HTTP_ADMISSION_QUEUED: maxQueued,
    HTTP_ADMISSION_WAIT_MS: maxWaitMs,
  }: {
    HTTP_ADMISSION_RUNNING: number;
    HTTP_ADMISSION_QUEUED: number;
    HTTP_ADMISSION_WAIT_MS: number;
  }) {
    this.admission = new Admission('auth http', { maxRunning, maxQueued, maxWaitMs });
  }

  async run(request: IncomingMessage, response: ServerResponse, handle: Handler): Promise<void> {
    const closed = new Promise<void>((resolve) => response.once('close', resolve));
    await this.admission
      .run(undefined, async () => {
        // The client disconnected while its request waited.
        if (response.destroyed) return;
        await Promise.all([handle(request, response), closed]);
      })
      .catch((error: AppError) => rejectOverload(request, response, error));
  }
}

function rejectOverload(
  request: IncomingMessage,
  response: ServerResponse,
  { origin = { dependency: 'admission', cause: 'overloaded' as const }, detail }: AppError,
): void {
  noteOutcome(request, { code: 'unavailable', detail, origin });
  respondUnavailable(request, response, 'there are more requests than can be processed: try again in a moment', {
    [errorHeader]: 'unavailable',
    ...originHeaders(request),
  });
}

import type { IncomingMessage, ServerResponse } from 'node:http';
import { internalHeaders } from '@holdfast/contracts';
import { Admission } from '@holdfast/messaging';
import type { AppError } from '@holdfast/platform';
import { noteOutcome } from '../requests/http-outcome.js';
import { errorHeader } from './issuer-routes.js';

type Answer = (request: IncomingMessage, response: ServerResponse) => unknown;

/**
 * Lets so many requests be answered at once and so many wait for it, and refuses the others before anything is done for
 * them: one event loop and one pool of database connections answer them all, so more at once only makes all of them
 * late. A place is held until the response is out, whichever way it ends.
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

  async answer(request: IncomingMessage, response: ServerResponse, answer: Answer): Promise<void> {
    const over = new Promise<void>((resolve) => response.once('close', resolve));
    await this.admission
      .run(undefined, async () => {
        // Whoever left while it waited is not answered.
        if (response.destroyed) return;
        await Promise.all([answer(request, response), over]);
      })
      .catch((error: AppError) => refuse(request, response, error));
  }
}

function refuse(
  request: IncomingMessage,
  response: ServerResponse,
  { origin = { dependency: 'admission', cause: 'overloaded' as const }, detail }: AppError,
): void {
  noteOutcome(request, { code: 'unavailable', detail, origin });
  request.resume();
  if (response.headersSent) return void response.destroy();
  response
    .writeHead(503, {
      'content-type': 'application/json',
      'cache-control': 'no-store',
      'retry-after': '1',
      [errorHeader]: 'unavailable',
      [internalHeaders.origin]: `${origin.dependency};${origin.cause}`,
    })
    .end(
      JSON.stringify({
        error: 'temporarily_unavailable',
        error_description: 'more is asked for than can be answered: try again in a moment',
      }),
    );
}

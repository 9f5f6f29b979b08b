import { sessionClient } from '@holdfast/api-client';
import { shortId } from './organization.ts';
import { Problem, problemOf } from './problem.ts';

/** After this time the server counts as unreachable. Polls of the audit log wait up to 20 seconds. */
const timeoutMs = 40_000;

/** The API with the cookie of this hub's session. */
export const api = sessionClient({
  baseUrl: location.origin,
  fetch: (request) => fetch(new Request(request, { signal: AbortSignal.any([request.signal, timeout()]) })),
});

function timeout(): AbortSignal {
  return AbortSignal.timeout(timeoutMs);
}

/** The organization as each path has it. */
export const path = { shortId };

interface Result<Data> {
  data?: Data | undefined;
  error?: unknown;
  response: Response;
}

/** The body of a successful response. @throws Problem for any other, and when there is none */
export async function dataOf<Data>(request: Promise<Result<Data>>): Promise<Data> {
  const { data, error, response } = await request.catch((cause: unknown) => {
    if (cause instanceof DOMException && cause.name === 'AbortError') throw cause;
    throw new Problem('unreachable', '');
  });
  if (!response.ok) throw problemOf(response.status, error, response.headers.get('retry-after'));
  return data as Data;
}

/** Keys of changes whose response is not known. */
const unanswered = new Map<string, string>();

/**
 * Sends a change with an Idempotency-Key. The same change has the same key until its response is known, so that another
 * click after a lost response changes nothing twice (docs/admin-api.md).
 * @param what names the change, with its content
 * @throws Problem
 */
export async function change<Data>(what: object, send: (header: IdempotencyHeader) => Promise<Result<Data>>) {
  const name = JSON.stringify(what);
  const key = unanswered.get(name) ?? crypto.randomUUID();
  unanswered.set(name, key);
  try {
    const data = await dataOf(send({ 'Idempotency-Key': key }));
    unanswered.delete(name);
    return data;
  } catch (error) {
    if (error instanceof Problem && !error.isUncertain) unanswered.delete(name);
    throw error;
  }
}

interface IdempotencyHeader {
  'Idempotency-Key': string;
}

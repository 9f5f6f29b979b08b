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

/** For a request that is repeated with the same key until its response is known (docs/admin-api.md). */
export function idempotencyKey(): string {
  return crypto.randomUUID();
}

import { Failed, refusalOf } from './failure.ts';

/** Milliseconds until the server counts as away. */
const patience = 20_000;

/** Calls a JSON route of the page's own origin; throws `Failed` for everything but a success. */
export async function call<T>(method: 'GET' | 'POST', address: string, body: object = {}): Promise<T> {
  const response = await fetch(address, {
    method,
    cache: 'no-store',
    redirect: 'error',
    headers: { accept: 'application/json', ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(patience),
  }).catch(() => {
    throw new Failed('unavailable');
  });
  const answer = (await response.json().catch(() => undefined)) as (T & { code?: unknown }) | undefined;
  if (!response.ok) throw refusalOf(response.status, answer?.code, response.headers.get('retry-after'));
  if (answer === undefined) throw new Failed('unavailable');
  return answer;
}

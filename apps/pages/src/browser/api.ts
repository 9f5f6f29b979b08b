import { Failed, failureOfResponse } from './failure.ts';

/** After this time the server counts as unavailable. */
const timeoutMs = 20_000;

/** Calls a JSON route of the page's own origin; throws `Failed` unless it succeeds. */
export async function call<T>(method: 'GET' | 'POST', address: string, body: object = {}): Promise<T> {
  const response = await fetch(address, {
    method,
    cache: 'no-store',
    redirect: 'error',
    headers: { accept: 'application/json', ...(method === 'POST' && { 'content-type': 'application/json' }) },
    ...(method === 'POST' && { body: JSON.stringify(body) }),
    signal: AbortSignal.timeout(timeoutMs),
  }).catch(() => {
    throw new Failed('unavailable');
  });
  if (response.status === 204) return {} as T;
  const json = (await response.json().catch(() => undefined)) as (T & { code?: unknown }) | undefined;
  if (!response.ok) throw failureOfResponse(response.status, json?.code, response.headers.get('retry-after'));
  if (json === undefined) throw new Failed('unavailable');
  return json;
}

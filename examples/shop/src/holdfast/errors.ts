/** There was no response, or a 5xx. The same request may succeed later. */
export class HoldfastUnavailable extends Error {}

/** Holdfast rejected the request. Branch on `code`; `detail` is for people. */
export class HoldfastApiError extends Error {
  readonly status: number;
  readonly code: string;
  readonly detail: string;

  constructor(status: number, code: string, detail: string) {
    super(`${status} ${code}`);
    this.status = status;
    this.code = code;
    this.detail = detail;
  }
}

const defaultTimeoutMs = 10_000;

/**
 * fetch with a timeout: ten seconds, after which a person has stopped waiting, unless nobody waits.
 *
 * @throws HoldfastUnavailable when there is no response, or a 5xx
 */
export async function send(url: string, init: RequestInit, timeoutMs = defaultTimeoutMs): Promise<Response> {
  const signal = AbortSignal.any([AbortSignal.timeout(timeoutMs), ...(init.signal ? [init.signal] : [])]);
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal });
  } catch (error) {
    throw new HoldfastUnavailable(`no response: ${(error as Error).name}`);
  }
  if (response.status < 500) return response;
  await response.body?.cancel();
  throw new HoldfastUnavailable(`status ${response.status}`);
}

/**
 * Reads an error response: `application/problem+json` (RFC 9457) from the API, `{error}` (RFC 6749 §5.2) from the token
 * endpoint.
 */
export async function apiErrorOf(response: Response): Promise<HoldfastApiError> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (name: string): string | undefined => (typeof body[name] === 'string' ? body[name] : undefined);
  const code = text('code') ?? text('error') ?? `http_${response.status}`;
  const detail = text('detail') ?? text('error_description') ?? text('title') ?? '';
  return new HoldfastApiError(response.status, code, detail);
}

/** Holdfast did not answer, or could not: nothing was decided, and trying again later is right. */
export class HoldfastAway extends Error {}

/** Holdfast said no. `code` is what to branch on; `detail` is for people. */
export class HoldfastRefused extends Error {
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

/**
 * A request that ends: after ten seconds a person has stopped waiting. @throws HoldfastAway when there is no answer, or
 * a 5xx
 */
export async function ask(url: string, init: RequestInit): Promise<Response> {
  let response: Response;
  try {
    response = await fetch(url, { ...init, redirect: 'error', signal: AbortSignal.timeout(10_000) });
  } catch (error) {
    throw new HoldfastAway(`no answer: ${(error as Error).name}`);
  }
  if (response.status < 500) return response;
  await response.body?.cancel();
  throw new HoldfastAway(`status ${response.status}`);
}

/**
 * The body of an error: `application/problem+json` (RFC 9457) from the API, `{error}` (RFC 6749 §5.2) from the token
 * endpoint.
 */
export async function refusalOf(response: Response): Promise<HoldfastRefused> {
  const body = (await response.json().catch(() => ({}))) as Record<string, unknown>;
  const text = (name: string): string | undefined => (typeof body[name] === 'string' ? body[name] : undefined);
  const code = text('code') ?? text('error') ?? `http_${response.status}`;
  return new HoldfastRefused(response.status, code, text('detail') ?? text('error_description') ?? text('title') ?? '');
}

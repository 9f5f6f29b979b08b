import * as oauth from 'oauth4webapi';
import type { AccessToken, AccessTokens } from './access-tokens.js';
import { ApiError, apiErrorOf, UnavailableError } from './errors.js';
import { isLoopback } from './loopback.js';

export interface SenderOptions {
  fetch: typeof globalThis.fetch;
  /** How long an attempt may take. */
  timeoutMs: number;
  /** How often a request is repeated at most. */
  maxRepeats: number;
}

export interface ApiRequest {
  method: string;
  url: URL;
  headers: Headers;
  body?: string;
  /** The operation that it needs. */
  scope: string;
  signal?: AbortSignal | undefined;
  /** The body may take as long as it wants: a stream or a file. Otherwise it is read within the attempt. */
  isStream?: boolean;
}

/** A response 2xx or 304. `text` is its body, undefined for a stream. */
export interface Reply {
  response: Response;
  text: string | undefined;
}

/** A caller that wants to wait longer repeats the call itself. */
const maxWaitMs = 30_000;
const firstWaitMs = 200;
/** Responses of proxies, and of Holdfast while something behind it is away. */
const unavailableStatus = new Set([502, 503, 504]);

/** A response that will not do, and how long to wait before the next attempt. */
interface Failure {
  error: ApiError | UnavailableError;
  retryAfterMs?: number | undefined;
}

/**
 * Sends requests with a token, and repeats what failed where that changes nothing twice: reads, and changes with an
 * Idempotency-Key. A 429 is repeated in any case, since nothing was done.
 */
export class Sender {
  constructor(
    private readonly tokens: AccessTokens,
    private readonly options: SenderOptions,
  ) {}

  /** @throws ApiError, UnavailableError, or the reason of `signal` */
  async send(request: ApiRequest): Promise<Reply> {
    for (let repeats = 0; ; repeats += 1) {
      const result = await this.attempt(request);
      if ('response' in result) return result;
      const waitMs = result.retryAfterMs ?? firstWaitMs * 2 ** repeats * (0.5 + Math.random());
      if (!isTemporary(result, request) || repeats >= this.options.maxRepeats || waitMs > maxWaitMs) throw result.error;
      await sleep(waitMs, request.signal);
    }
  }

  private async attempt(request: ApiRequest): Promise<Reply | Failure> {
    try {
      const response = await this.authorized(request, request.scope);
      if (response.ok || response.status === 304)
        return { response, text: request.isStream ? undefined : await response.text() };
      const retryAfterMs = retryAfterOf(response);
      if (!unavailableStatus.has(response.status)) return { error: await apiErrorOf(response), retryAfterMs };
      await response.body?.cancel();
      const message = `Holdfast responded ${response.status} to ${request.method} ${request.url.pathname}.`;
      return { error: new UnavailableError(message, { retryAfterMs }), retryAfterMs };
    } catch (error) {
      request.signal?.throwIfAborted();
      if (error instanceof ApiError || error instanceof UnavailableError) return { error };
      const message = `There was no response to ${request.method} ${request.url.pathname}: ${String(error)}`;
      return { error: new UnavailableError(message, { cause: error }) };
    }
  }

  /**
   * Sends it, and once more when the token does not suffice but another would: a new one after the app, a secret or a
   * grant has changed, one with the further scopes that the response names (RFC 6750 §3.1), or the same with the
   * server's nonce (RFC 9449 §9).
   */
  private async authorized(request: ApiRequest, scope: string): Promise<Response> {
    const token = await this.tokens.get(scope);
    const first = await this.sendWith(token, request);
    if (first instanceof Response) return first;
    let further = scope;
    if (!oauth.isDPoPNonceError(first)) {
      const needed = first.cause.find(({ parameters }) => parameters.error === 'insufficient_scope')?.parameters.scope;
      if (first.response.status === 401) this.tokens.discard(scope, token);
      else if (needed !== undefined) further = [...new Set(`${scope} ${needed}`.split(' '))].join(' ');
      else return first.response;
    }
    await first.response.body?.cancel();
    const second = await this.sendWith(await this.tokens.get(further), request);
    return second instanceof Response ? second : second.response;
  }

  private async sendWith(
    { value, dpop }: AccessToken,
    { method, url, headers, body, signal, isStream }: ApiRequest,
  ): Promise<Response | oauth.WWWAuthenticateChallengeError> {
    const limit = timeLimit(this.options.timeoutMs, isStream);
    try {
      return await oauth.protectedResourceRequest(value, method, url, new Headers(headers), body, {
        [oauth.customFetch]: (address, init) => this.options.fetch(address, init as RequestInit),
        [oauth.allowInsecureRequests]: isLoopback(url.href),
        ...(dpop && { DPoP: dpop }),
        signal: signal ? AbortSignal.any([limit.signal, signal]) : limit.signal,
      });
    } catch (error) {
      if (error instanceof oauth.WWWAuthenticateChallengeError) return error;
      throw error;
    } finally {
      limit.end();
    }
  }
}

/** Ends an attempt with its body; of a stream it ends with the response's headers. */
function timeLimit(timeoutMs: number, isStream = false): { signal: AbortSignal; end: () => void } {
  // Unlike a timer, it keeps no process alive.
  if (!isStream) return { signal: AbortSignal.timeout(timeoutMs), end: () => undefined };
  const limit = new AbortController();
  const timer = setTimeout(() => limit.abort(new Error('no response in time')), timeoutMs);
  return { signal: limit.signal, end: () => clearTimeout(timer) };
}

function isTemporary({ error }: Failure, { method, headers }: ApiRequest): boolean {
  if (error instanceof ApiError) return error.status === 429 || error.code === 'idempotency_in_progress';
  return ['GET', 'HEAD'].includes(method) || headers.has('idempotency-key');
}

/** Seconds, or a date (RFC 9110 §10.2.3). */
function retryAfterOf({ headers }: Response): number | undefined {
  const value = headers.get('retry-after');
  if (value === null) return undefined;
  const waitMs = /^\d+$/.test(value) ? Number(value) * 1000 : Date.parse(value) - Date.now();
  return Number.isFinite(waitMs) ? Math.max(waitMs, 0) : undefined;
}

/** @throws the reason of `signal` */
export function sleep(delayMs: number, signal?: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const end = (settle: () => void) => {
      clearTimeout(timer);
      signal?.removeEventListener('abort', abort);
      settle();
    };
    const abort = () => end(() => reject(signal?.reason as Error));
    const timer = setTimeout(() => end(resolve), delayMs);
    signal?.addEventListener('abort', abort);
    if (signal?.aborted) abort();
  });
}

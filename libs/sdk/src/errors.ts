import type { Schemas } from '@holdfast/api-client';

export type Problem = Schemas['Problem'];

/** The codes of problems, each explained in the API reference. */
export type ErrorCode = Problem['code'];

/** Every error of this package. */
export class HoldfastError extends Error {
  override readonly name: string = 'HoldfastError';
}

/** Holdfast rejected the request. Branch on `code`; `detail` is for people. */
export class ApiError extends HoldfastError {
  override readonly name = 'ApiError';
  readonly status: number;
  /** A code of the API reference; of the token endpoint an error of RFC 6749, such as `invalid_client`. */
  readonly code: ErrorCode | (string & {});
  readonly detail: string;
  /** Names the request in logs and in the audit log. */
  readonly requestId: string | undefined;
  readonly problem: Problem | undefined;

  constructor(response: Response, body: unknown) {
    const { code, error, detail, error_description: description, title } = membersOf(body);
    const known = code ?? error ?? `http_${response.status}`;
    const text = detail ?? description ?? title ?? '';
    super(`${response.status} ${known}${text && `: ${text}`}`);
    this.status = response.status;
    this.code = known;
    this.detail = text;
    this.requestId = response.headers.get('x-request-id') ?? undefined;
    this.problem = code === undefined ? undefined : (body as Problem);
  }
}

/**
 * There was no response in time, or one that says to try again later, and the repeats had no success either. Whether a
 * change was made is unknown; the same call with the same `idempotencyKey` changes nothing twice.
 */
export class UnavailableError extends HoldfastError {
  override readonly name = 'UnavailableError';
  /** How long Holdfast asks to wait, in ms. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, options: { cause?: unknown; retryAfterMs?: number | undefined } = {}) {
    super(message, options);
    this.retryAfterMs = options.retryAfterMs;
  }
}

/** A webhook, logout token or security event that must not be trusted. `message` says why. */
export class VerificationError extends HoldfastError {
  override readonly name = 'VerificationError';
}

/** Reads `application/problem+json` (RFC 9457), or `{error}` of the token endpoint (RFC 6749 §5.2). */
export async function apiErrorOf(response: Response): Promise<ApiError> {
  return new ApiError(response, await response.json().catch(() => undefined));
}

function membersOf(body: unknown): Record<string, string | undefined> {
  if (typeof body !== 'object' || body === null) return {};
  return Object.fromEntries(Object.entries(body).filter(([, value]) => typeof value === 'string'));
}

import { errorCatalogue, proofAlgorithms, stepUpMaxAgeSeconds } from '@holdfast/contracts';
import { AppError } from '@holdfast/platform';

/** The missing scope is part of the challenge (RFC 6750 §3). */
export class InsufficientScopeError extends AppError {
  constructor(readonly scope: string) {
    super('insufficient_scope', `This needs the scope ${scope}.`);
  }
}

/** An error of a token or proof under the scheme DPoP (RFC 9449 §7.1, §9), with the nonce that the next proof needs. */
export class DpopError extends AppError {
  constructor(
    code: 'invalid_token' | 'invalid_dpop_proof' | 'use_dpop_nonce',
    detail: string,
    readonly nonce?: string,
  ) {
    super(code, detail);
  }
}

/** The problem document (RFC 9457): clients branch on `code`; `detail` is for people. */
export function problemOf({ code, detail, status, errors }: AppError, requestId: string, baseUrl: string): object {
  return {
    type: `${baseUrl}/docs/errors#${code}`,
    title: errorCatalogue[code].title,
    status,
    detail: detail ?? errorCatalogue[code].help,
    instance: `urn:holdfast:request:${requestId}`,
    code,
    requestId,
    ...(errors?.length && { errors }),
  };
}

/** Headers of an error: the challenge of RFC 6750 §3 or RFC 9470 §3, with the URL of RFC 9728, and Retry-After. */
export function problemHeaders(error: AppError, baseUrl: string): Record<string, string> {
  const challenge = challengeOf(error, baseUrl);
  return {
    ...(challenge && { 'www-authenticate': challenge }),
    ...(error instanceof DpopError && error.nonce !== undefined && { 'dpop-nonce': error.nonce }),
    // RFC 9110 §15.5.9: the rest of the request must not be parsed as the next one.
    ...(error.status === 408 && { connection: 'close' }),
    ...(error.retryAfter !== undefined && { 'retry-after': String(error.retryAfter) }),
  };
}

function challengeOf(error: AppError, baseUrl: string): string | undefined {
  const { code } = error;
  const metadata = `resource_metadata="${baseUrl}/.well-known/oauth-protected-resource"`;
  if (error instanceof DpopError)
    return `DPoP realm="${baseUrl}", error="${code}", algs="${proofAlgorithms.join(' ')}", ${metadata}`;
  if (code === 'missing_token') return `Bearer realm="${baseUrl}", ${metadata}`;
  if (code === 'invalid_token') return `Bearer realm="${baseUrl}", error="invalid_token", ${metadata}`;
  // RFC 9470 §3.
  if (code === 'step_up_required') {
    const maxAge = `max_age="${stepUpMaxAgeSeconds}"`;
    return `Bearer realm="${baseUrl}", error="insufficient_user_authentication", ${maxAge}, ${metadata}`;
  }
  if (error instanceof InsufficientScopeError) {
    return `Bearer realm="${baseUrl}", error="insufficient_scope", scope="${error.scope}", ${metadata}`;
  }
  return undefined;
}

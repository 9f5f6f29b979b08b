import type { ErrorCode } from '@holdfast/contracts';

/** Problem codes of the server and, mapped to kinds, exceptions of the browser. */
export type FailureKind =
  | Extract<
      ErrorCode,
      | 'unknown_claim'
      | 'claim_spent'
      | 'claim_expired'
      | 'claim_withdrawn'
      | 'ceremony_expired'
      | 'passkey_invalid'
      | 'rate_limited'
      | 'unavailable'
      | 'not_found'
    >
  | 'cancelled'
  | 'existing'
  | 'unsuitable'
  | 'insecure';

const problemCodes: readonly string[] = [
  'unknown_claim',
  'claim_spent',
  'claim_expired',
  'claim_withdrawn',
  'ceremony_expired',
  'passkey_invalid',
  'rate_limited',
  'unavailable',
  'not_found',
] satisfies FailureKind[];

export class Failed extends Error {
  readonly kind: FailureKind;
  /** Seconds. */
  readonly retryAfter: number | undefined;

  constructor(kind: FailureKind, retryAfter?: number) {
    super(kind);
    this.kind = kind;
    this.retryAfter = retryAfter;
  }
}

/** An error response: by its code (RFC 9457), or by its status when a proxy sent it. */
export function failureOfResponse(status: number, code: unknown, retryAfter: string | null): Failed {
  const seconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (typeof code === 'string' && problemCodes.includes(code)) return new Failed(code as FailureKind, seconds);
  // The gateway denies requests from other origins (403): this page was opened at an address that is not the gateway's.
  if (status === 403) return new Failed('insecure');
  if (status === 404 || status === 410) return new Failed('not_found');
  if (status === 429) return new Failed('rate_limited', seconds);
  return new Failed('unavailable', seconds);
}

/** Exceptions of the browser (WebAuthn Level 3 §5.1.3–4). A cancellation and a timeout have the same name. */
const kindByName: Record<string, FailureKind> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'existing',
  SecurityError: 'insecure',
  NotSupportedError: 'unsuitable',
  ConstraintError: 'unsuitable',
};

/** The library passes the browser's exception on, or wraps it as `cause`. Unknown exceptions allow another attempt. */
export function failureOf(error: unknown): Failed {
  if (error instanceof Failed) return error;
  return new Failed(
    kindByName[nameOf(error)] ?? kindByName[nameOf((error as Partial<Error> | undefined)?.cause)] ?? 'passkey_invalid',
  );
}

function nameOf(thrown: unknown): string {
  return String((thrown as Partial<Error> | null | undefined)?.name);
}

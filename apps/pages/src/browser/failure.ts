import type { ErrorCode } from '@holdfast/contracts';

/** What can go wrong, as the server says it by its problem codes, or the browser by its exceptions. */
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

const known: readonly string[] = [
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

/** A refused request: by its code (RFC 9457), or by its status when something in between answered. */
export function refusalOf(status: number, code: unknown, retryAfter: string | null): Failed {
  const seconds = retryAfter !== null && /^\d{1,5}$/.test(retryAfter) ? Number(retryAfter) : undefined;
  if (typeof code === 'string' && known.includes(code)) return new Failed(code as FailureKind, seconds);
  // Another site's page is refused as such (403): this one was opened at an address that is not the service's own.
  if (status === 403) return new Failed('insecure');
  if (status === 404 || status === 410) return new Failed('not_found');
  if (status === 429) return new Failed('rate_limited', seconds);
  return new Failed('unavailable', seconds);
}

/** What the browser's exceptions mean (WebAuthn Level 3 §5.1.3–4). Browsers give a cancel and a timeout one name. */
const meanings: Record<string, FailureKind> = {
  NotAllowedError: 'cancelled',
  AbortError: 'cancelled',
  InvalidStateError: 'existing',
  SecurityError: 'insecure',
  NotSupportedError: 'unsuitable',
  ConstraintError: 'unsuitable',
};

/**
 * The library passes the browser's exception on as `cause`, or as it came; what has no meaning is worth another try.
 */
export function failureOf(error: unknown): Failed {
  if (error instanceof Failed) return error;
  return new Failed(
    meanings[nameOf(error)] ?? meanings[nameOf((error as Partial<Error> | undefined)?.cause)] ?? 'passkey_invalid',
  );
}

function nameOf(thrown: unknown): string {
  return String((thrown as Partial<Error> | null | undefined)?.name);
}

import type { ErrorCode } from '@holdfast/contracts';

/** Failures as the pages distinguish them: of the server by its problem codes, of the browser by its exceptions. */
export type FailureKind =
  | 'unknown_link'
  | 'link_used'
  | 'link_expired'
  | 'link_withdrawn'
  | 'ceremony_expired'
  | 'passkey_invalid'
  | 'rate_limited'
  | 'unavailable'
  | 'not_found'
  | 'signed_out'
  /** What the page shows has changed meanwhile. */
  | 'changed'
  | 'cancelled'
  | 'existing'
  | 'unsuitable'
  | 'insecure';

const kindByCode = new Map<string, FailureKind>(
  Object.entries({
    unknown_claim: 'unknown_link',
    claim_spent: 'link_used',
    claim_expired: 'link_expired',
    claim_withdrawn: 'link_withdrawn',
    unknown_passkey_link: 'unknown_link',
    passkey_link_used: 'link_used',
    passkey_link_expired: 'link_expired',
    unknown_invitation: 'unknown_link',
    invitation_accepted: 'link_used',
    invitation_expired: 'link_expired',
    invitation_withdrawn: 'link_withdrawn',
    ceremony_expired: 'ceremony_expired',
    passkey_invalid: 'passkey_invalid',
    rate_limited: 'rate_limited',
    unavailable: 'unavailable',
    not_found: 'not_found',
    account_session_ended: 'signed_out',
    unknown_passkey: 'changed',
    invalid_state: 'changed',
    missing_token: 'signed_out',
    invalid_token: 'signed_out',
  } satisfies Partial<Record<ErrorCode, FailureKind>>),
);

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
  const kind = typeof code === 'string' ? kindByCode.get(code) : undefined;
  if (kind) return new Failed(kind, seconds);
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

import type { Credential, Customer, HistoryEntry } from './customer-queries.ts';

/** Why a customer can or cannot sign in. */
export type Diagnosis =
  | { kind: 'waiting'; until: string }
  | { kind: 'offerEnded' }
  | { kind: 'suspended'; credential: Credential }
  | { kind: 'revoked'; reason: string | undefined }
  | { kind: 'expired'; at: string }
  | { kind: 'refused'; at: string; code: string; app: string | undefined }
  | { kind: 'signsIn'; at: string; app: string | undefined }
  | { kind: 'neverSignedIn' };

/**
 * The one sentence on top of a customer: from the credentials, and when one is live from the last attempt to sign in.
 * @param history newest first; empty for those who may not read it
 */
export function diagnosisOf({ credentials, offers = [] }: Customer, history: HistoryEntry[], now: Date): Diagnosis {
  const live = credentials.filter((c) => c.status === 'issued' && !isExpired(c, now));
  if (live.length > 0) {
    const attempt = history.find(({ action }) => action === 'customer.sign_in');
    if (!attempt) return { kind: 'neverSignedIn' };
    const app = attempt.targets.find(({ type }) => type === 'app')?.id;
    const at = attempt.occurredAt;
    return attempt.outcome.result === 'success'
      ? { kind: 'signsIn', at, app }
      : { kind: 'refused', at, app, code: attempt.outcome.code ?? attempt.outcome.result };
  }
  const suspended = credentials.find(({ status }) => status === 'suspended');
  if (suspended) return { kind: 'suspended', credential: suspended };
  const [waiting] = offers;
  if (waiting) return { kind: 'waiting', until: waiting.expiresAt };
  const expired = credentials.find((c) => c.status === 'issued');
  if (expired) return { kind: 'expired', at: expired.expiresAt! };
  const revoked = credentials.filter((c) => c.status === 'revoked' && c.issuedAt !== undefined).at(-1);
  return revoked ? { kind: 'revoked', reason: revoked.revokedReason } : { kind: 'offerEnded' };
}

export function isExpired({ expiresAt }: Pick<Credential, 'expiresAt'>, now: Date): boolean {
  return expiresAt !== undefined && new Date(expiresAt) <= now;
}

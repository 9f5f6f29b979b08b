import type { Credential, SignInAttempt, SignInDiagnosis, SignInState, Subject } from '@holdfast/contracts';

/** Why an attempt was refused, by the code of its record, and what to do about it. */
const refusals: Record<string, { reason: string; remedy: string }> = {
  no_live_credential: {
    reason: 'The app requires a credential of a type that the customer does not hold.',
    remedy:
      'Make an offer of the credential type that the app requires, or change the type in the settings of the app.',
  },
  counter_went_back: {
    reason: 'The signature counter of the passkey went back, so it may have been copied.',
    remedy: 'Offer again. The claim replaces the passkey.',
  },
};

const offerAgain = 'Offer again. The claim makes a new passkey.';

type Finding = Pick<SignInDiagnosis, 'state' | 'explanation' | 'remedy' | 'at' | 'credentialId'>;

/**
 * @param attempts newest first
 * @param now credentials and offers expire by it
 */
export function diagnosisOf(customer: Subject, attempts: SignInAttempt[], now: Date): SignInDiagnosis {
  return {
    ...findingOf(customer, attempts, now),
    attempts: attempts.map((attempt) => ({ ...attempt, ...reasonOf(attempt) })),
    customer,
  };
}

function findingOf({ credentials, offers = [] }: Subject, [last]: SignInAttempt[], now: Date): Finding {
  const live = credentials.find((one) => one.status === 'issued' && !isExpired(one, now));
  if (live) return ofLive(live, last);
  const suspended = credentials.find(({ status }) => status === 'suspended');
  if (suspended)
    return finding('suspended', 'The credential is suspended.', 'Resume it when the reason is gone.', suspended);
  const [offer] = offers;
  if (offer)
    return {
      state: 'offer_open',
      explanation: 'The customer has not claimed the offer yet.',
      remedy: 'Send the link again. If it is lost, offer again: the earlier link stops working.',
      at: offer.expiresAt,
      credentialId: offer.credentialId,
    };
  const expired = credentials.find(({ status }) => status === 'issued');
  if (expired)
    return finding(
      'expired',
      'The credential expired.',
      'Offer again. The claim makes it valid again.',
      expired,
      expired.expiresAt,
    );
  // The newest of those that the customer once held.
  const revoked = credentials.filter((one) => one.status === 'revoked' && one.issuedAt !== undefined).at(-1);
  if (revoked) {
    const { revokedReason: reason, revokedAt } = revoked;
    const explanation = `The credential was revoked${reason === undefined ? '' : ` (${reason})`}.`;
    return finding('revoked', explanation, offerAgain, revoked, revokedAt);
  }
  return finding('offer_ended', 'The offer expired or was withdrawn before it was claimed.', 'Offer again.');
}

function ofLive(credential: Credential, last: SignInAttempt | undefined): Finding {
  if (!last)
    return finding(
      'never_signed_in',
      'The customer can sign in, and has not yet.',
      'If no passkey is offered on their device, offer again.',
      credential,
    );
  if (last.result === 'success')
    return finding(
      'signs_in',
      'The customer can sign in, and the last attempt succeeded.',
      'If a device is lost or no passkey is offered, offer again.',
      credential,
      last.occurredAt,
    );
  const { reason = `The last attempt was refused: ${last.code ?? last.result}.` } = reasonOf(last);
  const remedy = refusals[last.code ?? '']?.remedy ?? 'Look the code up in the API reference.';
  return finding('refused', reason, remedy, credential, last.occurredAt);
}

function finding(
  state: SignInState,
  explanation: string,
  remedy: string,
  credential?: Credential,
  at?: string,
): Finding {
  return {
    state,
    explanation,
    remedy,
    ...(at !== undefined && { at }),
    ...(credential && { credentialId: credential.id }),
  };
}

function reasonOf({ result, code }: SignInAttempt): { reason?: string } {
  const reason = result === 'success' || code === undefined ? undefined : refusals[code]?.reason;
  return reason === undefined ? {} : { reason };
}

function isExpired({ expiresAt }: Credential, now: Date): boolean {
  return expiresAt !== undefined && new Date(expiresAt) <= now;
}

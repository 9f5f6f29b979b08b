import type { Action, RequestContext } from '@holdfast/contracts';
import { AppError, type Audited } from '@holdfast/platform';
import { auditTarget, byPasskey, type CustomerLocator } from '../customer/locators.js';

/** A request of an account page: its customer, and the passkey that signed in. */
export interface SignedInPage {
  subject: string;
  passkey: string;
}

/** An erased customer is as unknown here as one whose session has ended. */
export function byAccount(subject: string): CustomerLocator {
  return { ...byPasskey(subject), unknown: 'account_session_ended' };
}

/**
 * A passkey that was removed or replaced meanwhile has ended what began with it, even before auth has applied the
 * event.
 * @throws AppError account_session_ended
 */
export function requireStillSignedIn(passkeys: readonly { id: string }[], { passkey }: SignedInPage): void {
  if (!passkeys.some(({ id }) => id === passkey)) throw new AppError('account_session_ended');
}

/** The actor of its records is the customer, though the gateway knows no token of theirs. */
export function asCustomer(context: RequestContext, { subject }: SignedInPage): RequestContext {
  return { ...context, actor: { type: 'customer', id: subject } };
}

/** The record of a change of a passkey. */
export function passkeyRecord(action: Action, subject: string, passkey: string): Audited {
  return {
    action,
    targets: [auditTarget('customer', subject, subject), auditTarget('passkey', passkey, subject)],
    outcome: { result: 'success', status: 200 },
  };
}

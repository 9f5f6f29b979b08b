import type { CredentialType } from '@holdfast/contracts';
import { addDuration, endOf } from '../credential-types/validity.js';
import { change, idsAndExpirationOf, type Change } from '../customer/change.js';
import type { Customer, CustomerCredential } from '../customer/customer.js';
import { credentialStateOf, decide } from '../customer/transitions.js';

type Ending = Pick<CustomerCredential, 'expiresAt' | 'validUntil'>;
type Terms = Pick<CredentialType, 'validity' | 'renewalWindow'>;

/**
 * Whether a sign-in at `now` renews: inside the window before the end, and only if that makes the end a later one. What
 * an offer limited by `validUntil` is not renewed beyond it.
 */
export function renewalDue({ expiresAt, validUntil }: Ending, { validity, renewalWindow }: Terms, now: Date): boolean {
  if (!expiresAt || renewalWindow === undefined || expiresAt <= now) return false;
  if (addDuration(now, renewalWindow) < expiresAt) return false;
  const end = endOf(now, validity, validUntil);
  return end === undefined || end > expiresAt;
}

/**
 * The credential lives on (product §5, "Renewal"): same id and `issuedAt`, another document number, an end by the
 * type's validity from now. Nothing changes when the credential does not stand there to be renewed, or another sign-in
 * was first.
 */
export function renewed(
  customer: Customer,
  credentialId: string,
  type: Terms,
  documentNumber: string,
  now: Date,
): Change {
  const before = customer.credentials.find((c) => c.id === credentialId);
  if (
    !before ||
    'denied' in decide('renew', credentialStateOf(customer, before, now)) ||
    !renewalDue(before, type, now)
  )
    return change(customer, {});
  const { expiresAt: _, ...kept } = before;
  const expiresAt = endOf(now, type.validity, before.validUntil);
  const credential: CustomerCredential = { ...kept, documentNumber, ...(expiresAt && { expiresAt }) };
  return change(
    customer,
    { credentials: customer.credentials.map((c) => (c === before ? credential : c)) },
    { type: 'credential.renewed', data: idsAndExpirationOf(customer, credential) },
  );
}

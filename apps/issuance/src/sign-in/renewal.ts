import type { CredentialType } from '@holdfast/contracts';
import { addDuration, expirationAfter } from '../credential-types/validity.js';
import { change, idsAndExpirationOf, type Change } from '../customer/change.js';
import type { Customer, CustomerCredential } from '../customer/customer.js';
import { credentialStateOf, decide } from '../customer/transitions.js';

type Expiration = Pick<CustomerCredential, 'expiresAt' | 'validUntil'>;
type Terms = Pick<CredentialType, 'validity' | 'renewalWindow'>;

/**
 * Whether a sign-in at `now` renews: within the renewal window, and only if the credential then expires later. An
 * offer's `validUntil` limits renewals too.
 */
export function renewalDue(
  { expiresAt, validUntil }: Expiration,
  { validity, renewalWindow }: Terms,
  now: Date,
): boolean {
  if (!expiresAt || renewalWindow === undefined || expiresAt <= now) return false;
  if (addDuration(now, renewalWindow) < expiresAt) return false;
  const end = expirationAfter(now, validity, validUntil);
  return end === undefined || end > expiresAt;
}

/**
 * Renews a credential (product §5, "Renewal"): same id and `issuedAt`, another document number, and the type's validity
 * from now. Nothing changes when the credential cannot be renewed, or another sign-in was first.
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
  const expiresAt = expirationAfter(now, type.validity, before.validUntil);
  const credential: CustomerCredential = { ...kept, documentNumber, ...(expiresAt && { expiresAt }) };
  return change(
    customer,
    { credentials: customer.credentials.map((c) => (c === before ? credential : c)) },
    { type: 'credential.renewed', data: idsAndExpirationOf(customer, credential) },
  );
}

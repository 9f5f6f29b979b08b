import type { CredentialClaim } from '@holdfast/contracts';

/**
 * Part of a statement: the credential `c` with which a customer of organization `$1` can sign in at `$2`, of type `$3`
 * or, when that is null, of the organization's default type (product §5). Live means issued and not expired.
 */
export const isLive = `c.type = coalesce($3, (SELECT name FROM credential_type WHERE org = $1 AND is_default))
  AND c.status = 'issued' AND (c.expires_at IS NULL OR c.expires_at > $2)`;
/** The same for whichever type; `$3` is not looked at. */
export const isLiveOfAnyType = `$3::text IS NULL AND c.status = 'issued'
  AND (c.expires_at IS NULL OR c.expires_at > $2)`;

export const claimColumns = `c.id, c.type, c.document_number AS "documentNumber", c.issued_at AS "issuedAt",
  c.expires_at AS "expiresAt"`;

/**
 * Part of a statement: the version of subject `s` since which sign-ins count. Earlier ones, with an older passkey or
 * before a suspension, do not.
 */
export const signInsSince = `greatest(
  (SELECT sign_ins_since_version FROM webauthn_user WHERE subject = s.id), c.sign_ins_since_version)`;

/** All null when there is no live credential. */
export interface ClaimRow {
  id: string | null;
  type: string;
  documentNumber?: string | null;
  issuedAt?: Date | null;
  expiresAt?: Date | null;
}

/** The `credential` claim of the customer's tokens (specification §2.4), or undefined without a live credential. */
export function claimOf({ id, type, documentNumber, issuedAt, expiresAt }: ClaimRow): CredentialClaim | undefined {
  if (id === null || !documentNumber || !issuedAt) return undefined;
  return {
    id,
    type,
    document_number: documentNumber,
    issued_at: issuedAt.toISOString(),
    ...(expiresAt && { expires_at: expiresAt.toISOString() }),
  };
}

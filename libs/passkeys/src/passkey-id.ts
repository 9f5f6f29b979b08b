import { sha256 } from '@holdfast/platform';

/** In bytes: few enough to read, and enough that no two passkeys of an organization have the same. */
const length = 16;

/**
 * The id by which a passkey is named outside of ceremonies: the first half of a hash of its credential id, as base64url
 * (22 characters). It has no column of its own, since the credential id never changes.
 */
export function passkeyIdOf(credentialId: string): string {
  return sha256(credentialId).subarray(0, length).toString('base64url');
}

/** The same in SQL, as bytes. A credential id is base64url, which `::bytea` does not read as escapes. */
export function passkeyIdInSql(column: string): string {
  return `substr(sha256(${column}::bytea), 1, ${length})`;
}

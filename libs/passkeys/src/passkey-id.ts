import { sha256 } from '@holdfast/platform';

/**
 * The id by which a passkey is named outside of ceremonies: a UUID of version 8 (RFC 9562 §5.8), from a hash of its
 * credential id. It has no column of its own, since the credential id never changes. A UUID, since the audit log knows
 * no other ids of what belongs to a person (docs/audit-proofs.md).
 */
export function passkeyIdOf(credentialId: string): string {
  const bytes = sha256(credentialId).subarray(0, 16);
  bytes[6] = (bytes[6]! & 0x0f) | 0x80;
  bytes[8] = (bytes[8]! & 0x3f) | 0x80;
  return bytes.toString('hex').replace(/^(.{8})(.{4})(.{4})(.{4})(.{12})$/, '$1-$2-$3-$4-$5');
}

/** The same in SQL. A credential id is base64url, which `::bytea` does not read as escapes. */
export function passkeyIdInSql(column: string): string {
  return `(SELECT encode(set_byte(set_byte(h, 6, get_byte(h, 6) & 15 | 128), 8, get_byte(h, 8) & 63 | 128), 'hex')::uuid
    FROM (SELECT substr(sha256(${column}::bytea), 1, 16)) hashed(h))`;
}

/** Crockford's base 32, without letters that people confuse with digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/**
 * What the passkey picker of a browser shows for a user handle: the organization, and a code that tells two accounts
 * apart. The code comes from the handle, so that the picker can get another name of the organization later, and
 * says nothing that the authenticator does not know: neither whose the account is nor an id of it.
 * @param handle at least four bytes, random
 */
export function passkeyUserName(organizationName: string, handle: Uint8Array): string {
  const code = [...handle.subarray(0, 4)].map((byte) => alphabet[byte % alphabet.length]).join('');
  return `${organizationName} · ${code}`;
}

import { randomBytes } from 'node:crypto';

/**
 * The passkey picker shows this name. It distinguishes two passkeys and does not say whose they are: the options of an
 * invitation go to anybody who has the link.
 */
export function passkeyUserName(organizationName: string): string {
  return `${organizationName} · ${randomBytes(2).toString('hex').toUpperCase()}`;
}

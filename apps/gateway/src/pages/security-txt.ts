import type { GatewayConfig } from '../config.js';

export const securityTxtPath = '/.well-known/security.txt';

const dayMs = 86_400_000;
/** RFC 9116 §2.5.5 recommends less than a year. The setting is read anew each day, so a month is enough. */
const validDays = 30;

/** The file of RFC 9116; undefined without a contact, which it requires (§2.5.3). */
export function securityTxt(
  {
    BASE_URL,
    SECURITY_CONTACT: contacts,
    SECURITY_EXPIRES: expires,
  }: Pick<GatewayConfig, 'BASE_URL' | 'SECURITY_CONTACT' | 'SECURITY_EXPIRES'>,
  now: Date,
): string | undefined {
  if (contacts.length === 0) return undefined;
  const midnight = Math.floor(now.getTime() / dayMs) * dayMs;
  return [
    ...contacts.map((contact) => `Contact: ${contact}`),
    `Expires: ${expires ?? new Date(midnight + validDays * dayMs).toISOString().replace('.000Z', 'Z')}`,
    'Preferred-Languages: en',
    `Canonical: ${BASE_URL}${securityTxtPath}`,
    '',
  ].join('\n');
}

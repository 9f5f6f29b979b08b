import { randomInt } from 'node:crypto';

/** Crockford's base 32, without letters that people confuse with digits. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** A random code that people can read and compare, with five bits per character. */
export function newCode(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

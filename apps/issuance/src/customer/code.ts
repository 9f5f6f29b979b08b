import { randomInt } from 'node:crypto';

/** Crockford's base 32: nothing that people mistake for something else. */
const alphabet = '0123456789ABCDEFGHJKMNPQRSTVWXYZ';

/** Random characters for people to tell things apart by: five bits each. */
export function newCode(length: number): string {
  return Array.from({ length }, () => alphabet[randomInt(alphabet.length)]).join('');
}

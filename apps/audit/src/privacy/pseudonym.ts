import { createHash } from 'node:crypto';

/** Random bytes; a test hands in its own. */
export type Random = (size: number) => Buffer;

export interface Salted {
  value: string;
  salt: Buffer;
}

export function salted(value: string, random: Random): Salted {
  return { value, salt: random(16) };
}

/** SHA-256(salt ‖ UTF-8 of the value). Who has the salt can check it; without, nobody can tell what it stands for. */
export function commitment({ value, salt }: Salted): Buffer {
  return createHash('sha256').update(salt).update(value).digest();
}

/** 128 bits of the commitment, in base64url: stands for an id in a leaf. */
export function pseudonymOf(value: Salted): string {
  return commitment(value).toString('base64url', 0, 16);
}

/** What a pseudonym looks like. */
export const pseudonymForm = /^[\w-]{22}$/;

import { bytesOfBase64, type Bytes } from '#platform';

/** The input violates its format. The message is for people. */
export class FormatError extends Error {}

/** Standard base64 with padding, in canonical form only (RFC 4648 §3.5). */
export function fromBase64(text: string, what: string, size?: number): Bytes {
  const bytes = bytesOfBase64(text);
  if (!bytes) throw new FormatError(`${what} is not base64`);
  if (size !== undefined && bytes.length !== size)
    throw new FormatError(`${what} has ${bytes.length} bytes, not ${size}`);
  return bytes;
}

/** A decimal number without leading zeroes, as sizes and indexes are written. */
export function fromDecimal(text: string, what: string): number {
  const n = Number(text);
  if (!/^(0|[1-9]\d*)$/.test(text) || !Number.isSafeInteger(n))
    throw new FormatError(`${what} is not a whole number without leading zeroes`);
  return n;
}

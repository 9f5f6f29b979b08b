/** The first and the last byte, both of them included. */
export interface ByteRange {
  first: number;
  last: number;
}

/** One range (RFC 9110 §14.1.2): `0-99`, `100-` or, for the last ones, `-100`. */
const form = /^bytes=\s*(\d{0,15})-(\d{0,15})\s*$/i;

/**
 * The range of a `Range` header. Undefined when all of the file is to be sent: without the header, and for several
 * ranges or another unit, which a server may ignore (RFC 9110 §14.2).
 * @returns `unsatisfiable` when the file has no such byte (416)
 */
export function byteRangeOf(header: string | undefined, size: number): ByteRange | 'unsatisfiable' | undefined {
  const [, from, to] = form.exec(header ?? '') ?? [];
  if (from === undefined || to === undefined || (from === '' && to === '')) return undefined;
  if (from === '') {
    const length = Math.min(Number(to), size);
    return length === 0 ? 'unsatisfiable' : { first: size - length, last: size - 1 };
  }
  const first = Number(from);
  // An invalid range is ignored.
  if (to !== '' && Number(to) < first) return undefined;
  if (first >= size) return 'unsatisfiable';
  return { first, last: to === '' ? size - 1 : Math.min(Number(to), size - 1) };
}

/** Of a hash of four bytes. */
const filterBits = 20;
/** Bytes that searches for each byte string may read: below it they are faster than one reading for all. */
const maxReadBytes = 2_000_000;

/**
 * Which of many byte strings occur somewhere in these bytes, which are read once: tests search a whole database for
 * thousands of spellings, and a search for each of them takes minutes.
 */
export function occurring(bytes: Buffer, needles: readonly Buffer[]): Set<Buffer> {
  if (bytes.length * needles.length < maxReadBytes) return new Set(needles.filter((needle) => bytes.includes(needle)));
  return occurringInMany(bytes, needles);
}

/** The same for many byte strings, in many bytes. */
export function occurringInMany(bytes: Buffer, needles: readonly Buffer[]): Set<Buffer> {
  const found = new Set(needles.filter((needle) => needle.length < 4 && bytes.includes(needle)));
  const byFirst = Map.groupBy(
    needles.filter((needle) => needle.length >= 4),
    (needle) => needle.readInt32BE(0),
  );
  const filter = new Uint8Array(1 << filterBits);
  for (const first of byFirst.keys()) filter[slotOf(first)] = 1;
  for (let end = 0, window = 0; end < bytes.length; end += 1) {
    window = (window << 8) | bytes[end]!;
    if (filter[slotOf(window)] === 0 || end < 3) continue;
    for (const needle of byFirst.get(window) ?? [])
      if (!found.has(needle) && bytes.subarray(end - 3, end - 3 + needle.length).equals(needle)) found.add(needle);
  }
  return found;
}

function slotOf(fourBytes: number): number {
  return Math.imul(fourBytes, 0x9e3779b1) >>> (32 - filterBits);
}

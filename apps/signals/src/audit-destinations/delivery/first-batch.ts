import type { Entry } from '../kinds/kind.js';

/** A receiver gets at most so many entries in one request. */
const maxEntries = 200;
/** What a kind adds to the JSON of an entry, at most. */
const overheadBytes = 700;

/** The first entries, in order, as many as a request may have: at least one. */
export function firstBatch(entries: readonly Entry[], maxBytes: number): [Entry, ...Entry[]] {
  let bytes = 0;
  const end = entries.findIndex(({ body }, i) => {
    bytes += Buffer.byteLength(JSON.stringify(body)) + overheadBytes;
    return i > 0 && (bytes > maxBytes || i >= maxEntries);
  });
  return entries.slice(0, end < 0 ? entries.length : end) as [Entry, ...Entry[]];
}

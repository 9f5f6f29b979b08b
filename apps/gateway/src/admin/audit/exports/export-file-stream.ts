import { AppError } from '@holdfast/platform';
import { pause } from '../../../edge/pause.js';
import type { ByteRange } from './byte-range.js';

/** How soon a download ends after its reader has lost the right to it. */
const recheckMs = 2000;
/** A reader who takes nothing for this long is disconnected. It continues with a range. */
const slowReaderMs = 30_000;
/** How long a download waits for audit before it ends. */
const maxOutageMs = 30_000;
const retryMs = 1000;
/** Of one download, so that several leave the bus to others. */
const maxBytesPerSecond = 33_554_432;

interface Source {
  range: ByteRange;
  /** The bytes of the file from this one on, as many as audit sends at once. */
  read: (offset: number) => Promise<Buffer>;
  /** @throws AppError when the reader may get no more */
  require: () => Promise<void>;
  /** Aborts when the reader has left, or the server stops. */
  signal: AbortSignal;
  /** Breaks the connection: the reader sees that the file is not complete. */
  disconnect: () => void;
}

/**
 * The bytes of a range, one part at a time. Nothing is read before the reader has taken what was read before, so a
 * download costs at most one part of memory.
 */
export async function* exportFileStream(source: Source): AsyncGenerator<Buffer> {
  const { range, signal, disconnect } = source;
  const startedAt = performance.now();
  let checkedAt = startedAt;
  try {
    for (let offset = range.first; offset <= range.last;) {
      if (signal.aborted) return disconnect();
      if (performance.now() - checkedAt >= recheckMs) {
        await source.require();
        checkedAt = performance.now();
      }
      const part = (await readPatiently(source, offset)).subarray(0, range.last - offset + 1);
      offset += part.length;
      const timer = setTimeout(disconnect, slowReaderMs);
      try {
        yield part;
      } finally {
        clearTimeout(timer);
      }
      const aheadMs = ((offset - range.first) / maxBytesPerSecond) * 1000 - (performance.now() - startedAt);
      if (aheadMs > 0) await pause(aheadMs, signal);
    }
  } catch (error) {
    // The status was sent. The file may have been deleted meanwhile, or the right to it revoked.
    if (!(error instanceof AppError)) throw error;
    disconnect();
  }
}

async function readPatiently({ read, signal }: Source, offset: number): Promise<Buffer> {
  const giveUpAt = performance.now() + maxOutageMs;
  for (;;) {
    try {
      return await read(offset);
    } catch (error) {
      const isOutage = error instanceof AppError && error.code === 'unavailable';
      if (!isOutage || signal.aborted || performance.now() > giveUpAt) throw error;
      await pause(retryMs, signal);
    }
  }
}

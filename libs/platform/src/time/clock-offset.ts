/** A reading of another clock. It was taken between `sentAtMs` and `receivedAtMs` of `performance.now()`. */
export interface ClockReading {
  remoteMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Bounds of another clock's time when `performance.now()` of this process was 0. */
export interface EpochBounds {
  earliestMs: number;
  latestMs: number;
}

const maxReadings = 8;

/** Bounds that touch can differ by this much: doubles near today's epoch time are 0.0002 ms apart. */
const roundingMs = 0.02;

/**
 * Another clock's time, as bounds that hold whatever the transit time of its readings was. They refer to the monotonic
 * clock of this process, so a step of the machine's own time shows at once, without another reading.
 */
export class RemoteClock {
  private readings: EpochBounds[] = [];
  private bounds?: EpochBounds;

  observe({ remoteMs, sentAtMs, receivedAtMs }: ClockReading): void {
    this.readings = [{ earliestMs: remoteMs - receivedAtMs, latestMs: remoteMs - sentAtMs }, ...this.readings].slice(
      0,
      maxReadings,
    );
    let bounds = this.readings[0]!;
    for (const older of this.readings) {
      const earliestMs = Math.max(bounds.earliestMs, older.earliestMs);
      const latestMs = Math.min(bounds.latestMs, older.latestMs);
      // The other clock was set in between, so older readings do not count.
      if (earliestMs > latestMs + roundingMs) break;
      bounds = { earliestMs, latestMs: Math.max(earliestMs, latestMs) };
    }
    this.bounds = bounds;
  }

  epoch(): EpochBounds | undefined {
    return this.bounds;
  }
}

/**
 * By how much a clock is at least ahead of the bounds, in ms: 0 within them, negative when it is behind.
 */
export function aheadOf(epochMs: number, { earliestMs, latestMs }: EpochBounds): number {
  if (epochMs > latestMs) return epochMs - latestMs;
  return Math.min(0, epochMs - earliestMs);
}

/**
 * The median. Of an even number of values it is the middle one nearer to 0, or 0 if the middle ones differ in sign.
 * @returns undefined for none
 */
export function cautiousMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.floor(sorted.length / 2)]!];
  if (low > 0) return low;
  return Math.min(0, high);
}

/** One reading of another clock, framed by two of `performance.now()`: it was read somewhere between them. */
export interface ClockReading {
  remoteMs: number;
  sentAtMs: number;
  receivedAtMs: number;
}

/** Between which times another clock stood when `performance.now()` of this process was 0. */
export interface EpochBounds {
  earliestMs: number;
  latestMs: number;
}

const maxReadings = 8;

/**
 * Where another clock stands, as bounds that hold however long its readings were on their way. They refer to the
 * monotonic clock of this process, so a step of the machine's own time is seen at once and without another reading.
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
      const both = {
        earliestMs: Math.max(bounds.earliestMs, older.earliestMs),
        latestMs: Math.min(bounds.latestMs, older.latestMs),
      };
      // The other clock was set anew in between: what it said before counts no more.
      if (both.earliestMs > both.latestMs) break;
      bounds = both;
    }
    this.bounds = bounds;
  }

  epoch(): EpochBounds | undefined {
    return this.bounds;
  }
}

/**
 * By how much a clock is ahead of bounds, in ms, negative when it is behind: 0 within them, else no more than is
 * certain.
 */
export function aheadOf(epochMs: number, { earliestMs, latestMs }: EpochBounds): number {
  if (epochMs > latestMs) return epochMs - latestMs;
  return Math.min(0, epochMs - earliestMs);
}

/**
 * The median, and of an even number of values what both middle ones support: the one nearer to 0, and 0 when they
 * contradict each other.
 * @returns undefined for none
 */
export function cautiousMedian(values: readonly number[]): number | undefined {
  if (values.length === 0) return undefined;
  const sorted = values.toSorted((a, b) => a - b);
  const [low, high] = [sorted[Math.floor((sorted.length - 1) / 2)]!, sorted[Math.floor(sorted.length / 2)]!];
  if (low > 0) return low;
  return Math.min(0, high);
}

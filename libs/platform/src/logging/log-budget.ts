/**
 * Limits log lines of one kind to `perSecond` on average, with bursts of one second's worth. Otherwise a caller that
 * can provoke errors could fill the disk.
 */
export class LogBudget {
  private remaining: number;
  private filledAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.remaining = this.burst;
    this.filledAt = now();
  }

  /** Whether a line may be written now. */
  take(): boolean {
    const now = this.now();
    this.remaining = Math.min(this.burst, this.remaining + ((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
    if (this.remaining < 1) return false;
    this.remaining -= 1;
    return true;
  }

  private get burst(): number {
    return this.perSecond === 0 ? 0 : Math.max(1, this.perSecond);
  }
}

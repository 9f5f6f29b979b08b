/**
 * How many lines of one kind may be written: `perSecond` on average, and a second's worth at once. Whoever can make a
 * service fail must not be able to fill its disk by it.
 */
export class LogBudget {
  private left: number;
  private filledAt: number;

  constructor(
    private readonly perSecond: number,
    private readonly now: () => number = () => performance.now(),
  ) {
    this.left = this.burst;
    this.filledAt = now();
  }

  /** Whether one more line may be written now. */
  take(): boolean {
    const now = this.now();
    this.left = Math.min(this.burst, this.left + ((now - this.filledAt) / 1000) * this.perSecond);
    this.filledAt = now;
    if (this.left < 1) return false;
    this.left -= 1;
    return true;
  }

  private get burst(): number {
    return this.perSecond === 0 ? 0 : Math.max(1, this.perSecond);
  }
}

const tickMs = 20;

/**
 * Measures how far the event loop is behind: a timer is due every 20 ms, and while it is late, bytes that have arrived
 * on sockets wait just as long. Nothing else tells the age of a request before work is done for it.
 */
export class Backlog {
  private dueAt: number;
  private readonly ticking: NodeJS.Timeout;

  constructor(private readonly now: () => number = () => performance.now()) {
    this.dueAt = now() + tickMs;
    this.ticking = setInterval(() => this.tick(), tickMs).unref();
  }

  tick(): void {
    this.dueAt = this.now() + tickMs;
  }

  ageMs(): number {
    return Math.max(0, this.now() - this.dueAt);
  }

  stop(): void {
    clearInterval(this.ticking);
  }
}

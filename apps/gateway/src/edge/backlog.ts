const tickMs = 20;

/**
 * Measures how far the event loop is behind: a timer is due every 20 ms, and while it is late, bytes that have arrived
 * on sockets wait just as long. Nothing else tells the age of a request before work is done for it. It measures between
 * start() and stop(), so that a process without requests sleeps.
 */
export class Backlog {
  private dueAt = Infinity;
  private ticking: NodeJS.Timeout | undefined;

  constructor(private readonly now: () => number = () => performance.now()) {}

  start(): void {
    this.tick();
    this.ticking ??= setInterval(() => this.tick(), tickMs).unref();
  }

  tick(): void {
    this.dueAt = this.now() + tickMs;
  }

  ageMs(): number {
    return Math.max(0, this.now() - this.dueAt);
  }

  stop(): void {
    clearInterval(this.ticking);
    this.ticking = undefined;
    this.dueAt = Infinity;
  }
}

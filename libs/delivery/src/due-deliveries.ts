import { within } from '@holdfast/platform';

export interface DeliverySource<Claim> {
  /**
   * Claims what is due, so that no other replica delivers it: as much as there is room for beside `running`, which this
   * process delivers now. None when nothing is due.
   */
  claim(running: readonly Claim[]): Promise<readonly Claim[]>;
  /** Delivers what was claimed and stores the outcome. It never rejects: what is not stored is delivered again. */
  deliver(claim: Claim, isStopping: () => boolean): Promise<void>;
  /** Ends the connections of deliveries that still run when the process stops. */
  disconnect?(): Promise<void>;
}

/** Gives each delivery that is due its turn (README.md). */
export class DueDeliveries<Claim> {
  private readonly running = new Map<Claim, Promise<void>>();
  private isClaiming = false;
  private again = false;
  private stopped = false;

  /** @param drainMs how long a process that stops waits for its receivers */
  constructor(
    private readonly source: DeliverySource<Claim>,
    private readonly drainMs: number,
  ) {}

  /** Something may be due: delivers at once. An error is that of the next `deliverDue`, which an interval runs. */
  wake(): void {
    void this.deliverDue().catch(() => undefined);
  }

  /** Claims and begins to deliver what is due. @throws when claiming fails */
  async deliverDue(): Promise<void> {
    this.again = true;
    if (this.isClaiming) return;
    this.isClaiming = true;
    try {
      while (this.again && !this.stopped) {
        this.again = false;
        const claims = await this.source.claim([...this.running.keys()]);
        for (const claim of claims) this.start(claim);
        // Another round as long as there is something due and room for it.
        if (claims.length > 0) this.again = true;
      }
    } finally {
      this.isClaiming = false;
    }
  }

  /** What this process delivers now. */
  get claims(): Iterable<Claim> {
    return this.running.keys();
  }

  /** Delivers what was claimed otherwise than by the source. */
  begin(claims: readonly Claim[]): void {
    // A process that stops leaves them to another one, which takes them over after the lease.
    if (!this.stopped) for (const claim of claims) this.start(claim);
  }

  /** What no receiver has confirmed when it resolves is delivered again by another replica. */
  async stop(): Promise<void> {
    this.stopped = true;
    const ended = () => within(this.drainMs, Promise.all(this.running.values())).catch(() => undefined);
    await ended();
    await this.source.disconnect?.();
    await ended();
  }

  private start(claim: Claim): void {
    const delivery = this.source
      .deliver(claim, () => this.stopped)
      .finally(() => {
        this.running.delete(claim);
        if (!this.stopped) this.wake();
      });
    this.running.set(claim, delivery);
  }
}

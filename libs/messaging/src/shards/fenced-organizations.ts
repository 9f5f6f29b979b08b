import type { FenceLevel } from '@holdfast/contracts';
import { everyTick, type Ticking } from '@holdfast/platform';

/** How old the answer may be by which a service handles a request or event. `holdfast org move` waits for longer. */
export const fencesKnownWithinMs = 2000;
const intervalMs = 500;

interface Fence {
  org: string;
  refuses: FenceLevel;
}

/**
 * The organizations that this service must not serve, read from its own database: requests need no other service for
 * it, and cannot be handled without that database anyway. A process that was paused reads them again before it goes on.
 */
export class FencedOrganizations {
  private fences = new Map<string, FenceLevel>();
  private readAtMs = -Infinity;
  private reading?: Promise<void>;
  private ticking?: Ticking;

  constructor(
    private readonly read: () => Promise<Fence[]>,
    private readonly now: () => number = () => performance.now(),
  ) {}

  start(): void {
    this.ticking = everyTick(intervalMs, () => void this.readAgain().catch(() => undefined));
  }

  stop(): void {
    this.ticking?.stop();
  }

  /** What the organization is refused, if anything. @throws the database's error when it cannot be read */
  async levelOf(org: string): Promise<FenceLevel | undefined> {
    // One that began long ago may be in progress; the second begins after this call.
    for (let reads = 0; reads < 2 && this.now() - this.readAtMs > fencesKnownWithinMs; reads += 1)
      await this.readAgain();
    return this.fences.get(org);
  }

  private readAgain(): Promise<void> {
    return (this.reading ??= this.readNow().finally(() => delete this.reading));
  }

  private async readNow(): Promise<void> {
    // Before the query: the answer is as old as its snapshot may be.
    const startedAtMs = this.now();
    const rows = await this.read();
    this.fences = new Map(rows.map(({ org, refuses }) => [org, refuses]));
    this.readAtMs = startedAtMs;
  }
}

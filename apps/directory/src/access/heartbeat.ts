import { Injectable, type OnApplicationBootstrap } from '@nestjs/common';
import { revocationFeedSubject } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus } from '@holdfast/messaging';
import { Shutdown } from '@holdfast/service';

const every = 250;
/** What was read longer ago says nothing about now: the process was paused, or the database crawls. */
const staleAfter = 400;

const newest = statement('access_newest', 'SELECT coalesce(max(seq), 0) AS seq FROM access_change');

/**
 * Tells gateways and auth the newest change there is, four times a second and right after each one. Silence means
 * "ask": so nothing goes out while the database is away, and nothing is kept for later while NATS is.
 */
@Injectable()
export class Heartbeat implements OnApplicationBootstrap {
  private timer?: NodeJS.Timeout;
  private reading = false;

  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
    shutdown: Shutdown,
  ) {
    shutdown.before(() => clearInterval(this.timer));
  }

  onApplicationBootstrap(): void {
    this.timer = setInterval(() => void this.tick(), every);
  }

  /** Never throws. */
  async beat(): Promise<void> {
    const began = performance.now();
    try {
      const [row] = await this.database.rows<{ seq: number }>(newest);
      if (performance.now() - began < staleAfter)
        this.bus.connection.publish(revocationFeedSubject, JSON.stringify({ seq: row!.seq }));
    } catch {
      // Whoever listens notices the silence within a second.
    }
  }

  private async tick(): Promise<void> {
    if (this.reading) return;
    this.reading = true;
    await this.beat();
    this.reading = false;
  }
}

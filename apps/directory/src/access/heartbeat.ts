import { Injectable } from '@nestjs/common';
import { revocationFeedSubject } from '@holdfast/contracts';
import { Database, statement } from '@holdfast/data';
import { Bus } from '@holdfast/messaging';
import { Interval } from '@holdfast/service';

/** The result of a slower read may be out of date: the process was paused, or the database is overloaded. */
const maxReadMs = 400;

const newest = statement('access_newest', 'SELECT coalesce(max(seq), 0) AS seq FROM access_change');

/**
 * Publishes the seq of the newest access change to gateways and auth, four times a second and right after each change.
 * Without heartbeats they treat their cached state as stale. So none is sent while the database is unavailable, and
 * none is buffered while NATS is.
 */
@Injectable()
export class Heartbeat {
  constructor(
    private readonly database: Database,
    private readonly bus: Bus,
  ) {}

  @Interval({
    name: 'access_heartbeat',
    intervalMs: 250,
    failure: 'Failed to publish the access heartbeat; gateways and auth treat their cached access state as stale',
  })
  async beat(): Promise<void> {
    const startedAtMs = performance.now();
    const [row] = await this.database.rows<{ seq: number }>(newest);
    if (performance.now() - startedAtMs < maxReadMs)
      this.bus.connection.publish(revocationFeedSubject, JSON.stringify({ seq: row!.seq }));
  }

  /** Publishes without waiting for the interval, which logs and counts failures. */
  beatNow(): void {
    void this.beat().catch(() => undefined);
  }
}
